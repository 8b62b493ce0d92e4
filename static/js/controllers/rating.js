// Used on <main> of the rating page (templates/judging/batch.html). Without it each answer is a form that
// posts and comes back; with it ratings are kept on the device first and sent behind, one by one.
import { openPrefetch } from "../judging/prefetch.js";
import { startClock } from "../judging/clock.js";
import { openRatingState } from "../judging/rating_state.js";
import { openFocus } from "../judging/focus.js";
import { connectKeys } from "../judging/keys.js";
import { connectSignOff, guard } from "../judging/sign_off.js";
import { openOutbox } from "../judging/outbox.js";
import { openUndoStack } from "../judging/undo_stack.js";
import { connectPreferences, readPreferences } from "../judging/preferences.js";
import { connectQuestion } from "../judging/question.js";
import { openRemarked } from "../judging/remarked.js";
import { connectRemarks } from "../judging/remarks.js";
import { openNoteSync, rebase, restore, revert } from "../judging/restore.js";
import { openSender } from "../judging/sender.js";
import { openSteps } from "../judging/steps.js";
import { connectStars, watchInput } from "../judging/stars.js";
import { followToday } from "../judging/today.js";
import { openStatus } from "../judging/status.js";
import { connectTurning } from "../judging/turning.js";
import { load } from "../lib/http.js";
import { t } from "../lib/words.js";

// Few projects have a grade that needs a note, or quick reasons: only these fetch what asks, before anybody can rate.
const asksWhy = (root) => root.dataset.noted !== "[]" || root.querySelector(".quick");
let why = null;
async function fetchWhy() {
  why ??= await import("../judging/why.js").catch(() => null);
}

export default async function connect(root) {
  if (asksWhy(root) && !why) await fetchWhy();
  const gone = new AbortController();
  const { signal } = gone;
  const { person } = root.dataset;
  const preview = root.dataset.preview === "on";
  const preferences = readPreferences(root);
  const outbox = openOutbox(person);
  const noted = openNoteSync(root.dataset);
  const past = openUndoStack(person);
  const clock = startClock(signal);
  const input = watchInput(signal);
  let stale = false;

  const sender = openSender(outbox, person, (event, detail) => {
    if (!signal.aborted) hear[event]?.(detail);
  });
  const decide = () => withClash((clash) => clash.open());
  const status = openStatus(root, { outbox, signInUrl: root.dataset.signInUrl, tryNow: sender.tryNow, decide });
  const send = () => {
    status.release();
    sender.kick();
  };
  const ratingState = openRatingState(root, { outbox, past, clock, preview, send });
  const today = followToday(ratingState, outbox);
  const remarked = openRemarked(ratingState, root.dataset);
  const steps = openSteps(ratingState, { past, clock, say: status.say, today, remarked });
  const focus = openFocus(ratingState, { signal });

  const hear = {
    sending: () => status.show("sending"),
    saved: (detail) => {
      stale ||= rebase(ratingState, past, detail);
      noted.note(ratingState.cards);
      remarked.note(detail.item, detail.body);
      steps.stored(detail.item, detail.body);
      today.stored(detail.item, detail.body);
      hearWording(detail.body.wording, detail.item);
      ahead?.start(detail.item);
      status.show("saved");
    },
    idle: () => {
      if (!outbox.isEmpty()) status.show("clash");
      else if (navigator.onLine) status.settled();
      else status.show("offline");
      // A step met answers that were rated elsewhere meanwhile: the page is read again.
      if (stale && outbox.isEmpty()) location.reload();
      leaving?.onIdle();
    },
    clash: (detail) => withClash((clash) => clash.add(detail)),
    refused: (detail) => {
      const { kind, counts, body } = detail.item;
      if (counts) revert(ratingState, past, detail);
      if (kind === "declined" && ratingState.asks(detail.item)) ratingState.mark(body.reason === null);
      status.refused(detail.body.detail ?? t("This was not accepted."));
    },
    joined: (detail) => status.say(remarked.join(detail)),
    out: () => status.show("out"),
    other: () => status.show("other"),
  };
  for (const link of document.querySelectorAll(".leave")) link.addEventListener("click", (event) => {
    if (navigator.onLine) return;
    event.preventDefault();
    status.stop();
  }, { signal });
  for (const state of ["offline", "retrying"]) hear[state] = () => (status.show(state), leaving?.onAway());

  // A question may get other words, or be retired, while somebody rates it: the script is fetched when that happens.
  function hearWording(wording, item = ratingState.at) {
    const isHere = item.project === ratingState.project && item.batch === ratingState.batch;
    if (typeof wording !== "string" || (isHere ? wording === root.dataset.wording : wording)) return;
    load("wording").then(({ tellElsewhere, readAgain }) => {
      if (!isHere) tellElsewhere(item, status.say);
      else if (!signal.aborted) return readAgain(ratingState, ahead);
    }).catch(() => {});
  }

  // What was decided here is told to the other tabs like a rating that was saved.
  function release(answer) {
    noted.note(ratingState.cards);
    sender.release(answer);
  }

  // It takes two tabs to disagree: the script is fetched when they do, and so the server is there.
  let clash = null;
  async function withClash(act) {
    clash ??= import("../judging/clash.js").then(({ connectClash }) => connectClash(ratingState, { outbox, signal, release }));
    act(await clash);
  }

  // What is not on this page is asked about; where that cannot be fetched, words about the step must do.
  let askBack = null;
  const move = (from) => async () => {
    focus.stop();
    const step = preview ? null : steps.elsewhere(from);
    const act = () => {
      if (step) ahead?.again(Number(step.batch));
      const card = steps.move(from);
      if (card) focus.back(card);
    };
    if (!step) return act();
    askBack ??= import("../judging/ask_back.js").then(({ openAskBack }) => openAskBack(ratingState, steps, { signal }));
    const ask = await askBack.catch(() => null);
    return ask ? ask(step, from, act) : act();
  };

  connectStars(ratingState, focus, { signal, input, preferences });
  connectTurning(ratingState, focus, { signal });
  connectQuestion(root, { signal });
  connectRemarks(ratingState, focus, { signal, input, outbox, past, preferences, say: status.say });
  if (asksWhy(root)) why?.connectWhy(ratingState, focus, { signal, preferences, say: status.say });
  const switches = connectPreferences(root, { signal, preferences, changed: focus.show });
  connectKeys(ratingState, focus, { signal, preferences, switches, undo: move("undo"), redo: move("redo"), say: status.say });
  const ahead = preview ? null : openPrefetch(ratingState, { signal, person, hearWording });
  const leaving = preview ? null : connectSignOff(ratingState, {
    signal, input, outbox, steps, focus, say: status.say, ahead, decide, leave: () => gone.abort(),
  });
  root.querySelector("#undo")?.addEventListener("submit", (event) => {
    event.preventDefault();
    move(event.submitter?.name === "again" ? "redo" : "undo")();
  }, { signal });

  if (preview) return void focus.open();
  guard(outbox, signal);
  noted.follow(ratingState, signal);
  restore(ratingState, outbox, past);
  remarked.follow(outbox, signal);
  const question = `${ratingState.project}/${ratingState.batch}`;
  focus.open(past.placeOf(question));
  past.notePlace(question, focus.place, signal);
  if (root.dataset.ahead === "on") ratingState.put({ kind: "state", url: `${ratingState.url}/state`, body: { state: "open", guidelines: ratingState.guidelines } });
  const word = past.word(ratingState.query);
  if (word) status.say(word);
  for (const name of ["online", "focus", "pageshow"]) addEventListener(name, sender.tryNow, { signal });
  sender.kick();
}
