// Used where answers are adjudicated.
// The answers in front of an adjudicator, as rating_state.js is for annotators: decisions are shown at once and put into
// an outbox of their own, so that no rating of the same answer is taken for one.
import { newId } from "../lib/http.js";
import { t, tn } from "../lib/words.js";
import { isSettled, openCard, same, showTally, stateOf } from "./card.js";

const api = (answer, what = "") => `/api/v1/candidates/${answer}/adjudication${what}`;

export function openAdjudicationState(root, { outbox, past, clock, send }) {
  const { project, batch, query } = root.dataset;
  const cards = [...root.querySelectorAll("[data-answer]")].map(openCard);
  const byAnswer = new Map(cards.map((card) => [card.answer, card]));
  const ref = (name) => root.querySelector(`[data-ref="${name}"]`);
  const left = () => cards.filter((card) => !isSettled(card.state));

  function put(item) {
    outbox.add({ method: "PUT", project, batch, ...item });
    send();
  }

  function tally() {
    showTally(root, cards);
    const done = cards.length - left().length;
    ref("count").textContent = tn(cards.length, "%(n)s of %(of)s answer decided", "%(n)s of %(of)s answers decided", { n: done, of: cards.length });
    if (done === cards.length) ref("left").textContent = t("All answers decided");
  }

  function settle(answer, id, state) {
    past.setLast(batch, answer, id, state);
    const card = byAnswer.get(answer);
    if (card) {
      card.last = id;
      card.show(state);
    }
    past.change();
    tally();
  }

  function write(part, state, { input, base }) {
    const id = newId();
    const says = isSettled(state) ? state : { grade: null, reason: "cleared" };
    const body = { id, ...says, base, place: part.place, of: part.of, active_ms: clock.take(), input, at: new Date().toISOString() };
    put({ kind: "decision", counts: true, answer: part.answer, letter: part.letter, url: api(part.answer), body });
    settle(part.answer, id, state);
  }

  return {
    root, cards, byAnswer, batch, project, query, ref, left, tally, settle, write,
    // What waits on this device is shown again after a reload.
    restore() {
      for (const { kind, answer, body } of outbox.all()) {
        if (kind === "decision" && byAnswer.has(answer)) settle(answer, body.id, stateOf(body));
      }
      tally();
    },
    // Returns whether anything changed.
    commit(card, state, input) {
      if (same(card.state, state)) return false;
      const part = { answer: card.answer, letter: card.letter, place: card.place, of: cards.length, before: card.state, after: state };
      past.push({ batch, project, query, input, page: location.pathname, parts: [part] });
      write(part, state, { input, base: card.last });
      return true;
    },
    note(card, text) {
      outbox.removeLike("note", card.answer);
      put({ kind: "note", answer: card.answer, url: api(card.answer, "/note"), body: { text } });
    },
  };
}
