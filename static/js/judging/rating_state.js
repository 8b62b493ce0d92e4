// Used by the rating page.
// The answers in front of an annotator: what they do to them is shown at once, put into the outbox, and can
// be undone. Nothing here waits for the network.
import { newId } from "../lib/http.js";
import { isSettled, openCard, same, showTally } from "./card.js";

export const batchUrl = (project, batch) => `/api/v1/projects/${project}/batches/${batch}`;

// "Not rated" is a row of its own in the ledger: nothing is ever taken out of it.
const sent = (state) => (isSettled(state) ? state : { grade: null, reason: "cleared" });

export function openRatingState(root, { outbox, past, clock, preview, send }) {
  const { batch, query, project } = root.dataset;
  // Which ones this page shows; none has a number.
  const guidelines = Number(root.dataset.guidelines);
  // A step of another project was done with other guidelines: the server takes those in force there.
  const shown = (from) => (from === project ? { guidelines } : {});
  const cards = [...root.querySelectorAll("[data-answer]")].map(openCard);
  const byAnswer = new Map(cards.map((card) => [card.answer, card]));
  const ref = (name) => root.querySelector(`[data-ref="${name}"]`);
  const changed = [];
  const isRetired = () => !root.dataset.wording;
  const cardOf = (answer, at) => (Number(at) === Number(batch) ? byAnswer.get(answer) : undefined);

  function put(item) {
    if (preview) return;
    outbox.add({ method: "PUT", project, batch, query, ...item });
    send();
  }

  // One rating of one answer, on this page or on another one that was left (`from`: its project, batch and query).
  function write(part, state, { input, base, from = { project, batch, query } }) {
    const at = from.batch;
    const id = newId();
    put({
      kind: "judgment",
      counts: true,
      project: from.project,
      batch: at,
      query: from.query,
      answer: part.answer,
      letter: cardOf(part.answer, at)?.letter ?? part.letter,
      url: `/api/v1/candidates/${part.answer}/judgment`,
      body: { id, ...sent(state), base, place: part.place, of: part.of, batch: Number(at), active_ms: clock.take(), input, ...shown(from.project), at: new Date().toISOString() },
    });
    past.setLast(at, part.answer, id, state);
    const card = cardOf(part.answer, at);
    if (card) {
      card.last = id;
      card.show(state);
    }
    past.change();
    tally();
    return id;
  }

  function tally() {
    const left = showTally(root, cards);
    // What would rate the rest of a question is not offered while it is marked "can't judge", or is retired.
    const { on, stays } = ref("declined")?.dataset ?? {};
    const isMarked = Boolean(on && (left || stays));
    for (const one of root.querySelectorAll("[data-marked]")) one.hidden = one.dataset.marked === "on" ? !isMarked : isMarked || isRetired();
    for (const listener of changed) listener(left);
  }

  const ratingState = {
    root, cards, byAnswer, cardOf, batch, project, query, guidelines, shown, put, tally, ref,
    // Where a step on this page was done.
    at: { batch, project, query },
    url: batchUrl(project, batch),
    write,
    // Whether something was said of the question at hand, on whichever of its parts.
    asks: (item) => item.project === project && item.query === query,
    isMarked: () => ref("declined")?.hidden === false,
    isRetired,

    // "Can't judge this question" holds for all its parts, until all of them are rated since.
    mark(isOn) {
      const { dataset } = ref("declined");
      dataset.on = isOn ? "y" : "";
      if (isOn && !ratingState.left().length) dataset.stays = "y";
      for (const name of ["ask-later", "ask-sure"]) ref(name).hidden = true;
      tally();
    },
    onChange: (listener) => changed.push(listener),
    left: () => cards.filter((card) => !isSettled(card.state)),
    // On whichever part of the question at hand.
    hasBetter: () => root.dataset.better === "on" || cards.some(({ state }) => state.grade > root.dataset.lowest),

    // What the server holds is what is shown.
    settle(answer, id, state) {
      past.setLast(batch, answer, id, state);
      const card = byAnswer.get(answer);
      if (card) {
        card.last = id;
        card.show(state);
        card.confirm();
      }
      past.change();
      tally();
    },

    // Returns whether anything changed.
    commit(card, state, input) {
      if (same(card.state, state) || card.holds?.(state, input)) return false;
      const part = { answer: card.answer, letter: card.letter, title: card.title, place: card.place, of: cards.length, before: card.state, after: state };
      past.push({ ...ratingState.at, input, parts: [part] });
      write(part, state, { input, base: card.last });
      return true;
    },
  };
  return ratingState;
}
