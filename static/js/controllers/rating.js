// Used on <main> of the rating page (templates/judging/batch.html). Without it each answer is a form that
// posts and comes back; with it ratings are kept on the device first and sent behind, one by one.
import { openAhead } from "../judging/ahead.js";
import { startClock } from "../judging/clock.js";
import { openDesk } from "../judging/desk.js";
import { openFocus } from "../judging/focus.js";
import { connectKeys } from "../judging/keys.js";
import { connectLeaving, guard } from "../judging/leaving.js";
import { openNoted } from "../judging/noted.js";
import { openOutbox } from "../judging/outbox.js";
import { openPast } from "../judging/past.js";
import { connectPreferences } from "../judging/preferences.js";
import { openRemarked } from "../judging/remarked.js";
import { connectRemarks } from "../judging/remarks.js";
import { rebase, restore, revert } from "../judging/restore.js";
import { openSender } from "../judging/sender.js";
import { openSteps } from "../judging/steps.js";
import { connectStars, watchInput } from "../judging/stars.js";
import { openStatus } from "../judging/status.js";
import { t } from "../lib/words.js";

export default function connect(root) {
  const gone = new AbortController();
  const { signal } = gone;
  const { person } = root.dataset;
  const preview = root.dataset.preview === "on";
  const preferences = { keys: root.dataset.keys === "on", advance: root.dataset.advance === "on", remap: JSON.parse(root.dataset.remap) };
  const outbox = openOutbox(person);
  const noted = openNoted(root.dataset);
  const past = openPast(person);
  const clock = startClock(signal);
  const input = watchInput(signal);
  let stale = false;

  const sender = openSender(outbox, person, (event, detail) => {
    if (!signal.aborted) hear[event]?.(detail);
  });
  const decide = () => withClash((clash) => clash.open());
  const status = openStatus(root, { outbox, signInUrl: root.dataset.signInUrl, tryNow: sender.tryNow, decide });
  const desk = openDesk(root, { outbox, past, clock, preview, send: sender.kick });
  const remarked = openRemarked(desk, root.dataset);
  const steps = openSteps(desk, { past, clock, say: status.say });
  const focus = openFocus(desk, { signal });

  const hear = {
    sending: () => status.show("sending"),
    saved: (detail) => {
      stale ||= rebase(desk, past, detail);
      noted.note(desk.cards);
      remarked.note(detail.item, detail.body);
      ahead?.start();
      status.show("saved");
    },
    idle: () => {
      if (!outbox.isEmpty()) status.show("clash");
      else if (navigator.onLine) status.settled();
      else status.show("offline");
      // A step met answers that were rated elsewhere meanwhile: the page is read anew.
      if (stale && outbox.isEmpty()) location.reload();
      leaving?.onIdle();
    },
    clash: (detail) => withClash((clash) => clash.add(detail)),
    refused: (detail) => {
      if (detail.item.counts) revert(desk, detail);
      status.refused(detail.body.detail ?? t("This was not accepted."));
    },
    joined: (detail) => status.say(remarked.join(detail)),
    out: () => status.show("out"),
    other: () => status.show("other"),
  };
  for (const state of ["offline", "retrying"]) hear[state] = () => (status.show(state), leaving?.onAway());

  // What was decided here is told to the other tabs like a rating that was saved.
  function release(answer) {
    noted.note(desk.cards);
    sender.release(answer);
  }

  // It takes two tabs to disagree: the script is fetched when they do, and so the server is there.
  let clash = null;
  async function withClash(act) {
    clash ??= import("../judging/clash.js").then(({ connectClash }) => connectClash(desk, { outbox, signal, release }));
    act(await clash);
  }

  const move = (from) => () => {
    focus.stop();
    const card = steps.move(from);
    if (card) focus.back(card);
  };

  connectStars(desk, focus, { signal, input });
  connectRemarks(desk, focus, { signal, input, outbox, preferences, say: status.say });
  connectKeys(desk, focus, { signal, preferences, undo: move("undo"), redo: move("redo"), say: status.say });
  const ahead = preview ? null : openAhead(desk, { signal, person });
  const leaving = preview ? null : connectLeaving(desk, {
    signal, input, outbox, steps, say: status.say, ahead, decide, leave: () => gone.abort(),
  });
  root.querySelector("#undo")?.addEventListener("submit", (event) => {
    event.preventDefault();
    move(event.submitter?.name === "again" ? "redo" : "undo")();
  }, { signal });
  connectPreferences(root, { signal, preferences });

  if (preview) return void focus.open();
  guard(outbox, signal);
  noted.follow(desk, signal);
  restore(desk, outbox);
  remarked.follow(outbox, signal);
  const question = `${desk.project}/${desk.batch}`;
  focus.open(past.placeOf(question));
  past.notePlace(question, focus.place, signal);
  if (root.dataset.ahead === "on") desk.put({ kind: "state", url: `${desk.url}/state`, body: { state: "open", guidelines: desk.guidelines } });
  const word = past.word();
  if (word) status.say(word);
  for (const name of ["online", "focus", "pageshow"]) addEventListener(name, sender.tryNow, { signal });
  sender.kick();
}
