// Used on <main> of a question that is adjudicated (templates/review/question.html): the same stars, keys
// and undo as on the rating page. Without it each answer is a form that posts and comes back.
import { t } from "../lib/words.js";
import { openAdjudicationState } from "../judging/adjudication_state.js";
import { UNRATED, stateOf, words } from "../judging/card.js";
import { startClock } from "../judging/clock.js";
import { openFocus } from "../judging/focus.js";
import { connectKeys } from "../judging/keys.js";
import { guard } from "../judging/sign_off.js";
import { openOutbox } from "../judging/outbox.js";
import { openUndoStack } from "../judging/undo_stack.js";
import { readPreferences } from "../judging/preferences.js";
import { openSender } from "../judging/sender.js";
import { openSteps } from "../judging/steps.js";
import { connectStars, watchInput } from "../judging/stars.js";
import { openStatus } from "../judging/status.js";

export default function connect(root) {
  const { signal } = new AbortController();
  const { person } = root.dataset;
  const preferences = readPreferences(root);
  const outbox = openOutbox(`${person}~decisions`);
  const past = openUndoStack(`${person}~decisions`);
  const clock = startClock(signal);
  const input = watchInput(signal);
  const sender = openSender(outbox, person, (event, detail) => hear[event]?.(detail));
  const status = openStatus(root, { outbox, signInUrl: root.dataset.signInUrl, tryNow: sender.tryNow });
  const adjudicationState = openAdjudicationState(root, { outbox, past, clock, send: sender.kick });
  const steps = openSteps(adjudicationState, { past, clock, say: status.say, unrated: t("not decided") });
  const focus = openFocus(adjudicationState, { signal });

  const hear = {
    saved({ item }) {
      const card = adjudicationState.byAnswer.get(item.answer);
      if (card?.last === item.body.id) card.confirm();
      status.show("saved");
    },
    idle: () => status.settled(),
    clash({ item, current }) {
      for (const one of outbox.all()) if (one.answer === item.answer && one.kind === "decision") outbox.remove(one.key);
      const state = current ? stateOf(current) : UNRATED;
      adjudicationState.settle(item.answer, current?.id ?? null, state);
      adjudicationState.byAnswer.get(item.answer)?.confirm();
      status.say(t("Someone else has decided answer %(letter)s meanwhile: it is %(rating)s. Choose again to change it", { letter: item.letter ?? "", rating: words(state) }), null, "bad");
      sender.release(item.answer);
    },
    refused({ item, body }) {
      // Nothing lists it later: it is said here, and the answer shows what stands.
      for (const one of outbox.refused.all()) outbox.remove(one.key);
      if (item.counts) adjudicationState.byAnswer.get(item.answer)?.revert();
      adjudicationState.tally();
      status.say(body.detail ?? t("This was not accepted."), null, "bad");
    },
  };
  for (const name of ["sending", "offline", "retrying", "out", "other"]) hear[name] = () => status.show(name);

  const move = (from) => () => {
    focus.stop();
    const card = steps.move(from);
    if (card) focus.back(card);
  };

  function connectCard(card) {
    const remark = card.find(".remark");
    const note = remark.querySelector("textarea");
    const keep = () => {
      if (note.value === note.defaultValue) return;
      note.defaultValue = note.value;
      card.find('[data-ref="noted"]').textContent = note.value.trim() ? t("Your note") : t("Note");
      adjudicationState.note(card, note.value);
    };
    note.addEventListener("change", keep, { signal });
    addEventListener("pagehide", keep, { signal });
    note.form.addEventListener("submit", (event) => {
      event.preventDefault();
      keep();
    }, { signal });
    card.clear = () => {
      card.forget();
      adjudicationState.commit(card, UNRATED, input());
    };
    card.find('[data-act="clear"]').form.addEventListener("submit", (event) => {
      event.preventDefault();
      card.clear();
      focus.go(card);
    }, { signal });
    // Nobody passes on an answer or flags it here: those keys do nothing.
    card.flag = () => {};
    card.toggle = (details) => {
      if (!details) return;
      details.open = !details.open;
      if (details.open) note.focus();
    };
    card.closePanels = () => {
      remark.open = false;
    };
  }

  root.classList.toggle("keys-are-off", !preferences.keys);
  connectStars(adjudicationState, focus, { signal, input, preferences });
  adjudicationState.cards.forEach(connectCard);
  connectKeys(adjudicationState, focus, { signal, preferences, undo: move("undo"), redo: move("redo"), say: status.say });
  root.querySelector('[data-act="undo"]').addEventListener("click", move("undo"), { signal });
  guard(outbox, signal);
  adjudicationState.restore();
  focus.open();
  for (const name of ["online", "focus", "pageshow"]) addEventListener(name, sender.tryNow, { signal });
  sender.kick();
}
