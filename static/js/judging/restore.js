// Used by the rating page.
// What the outbox knows and the server does not yet: shown again after a reload, and put right by the replies.
import { UNRATED, stateOf } from "./card.js";

export function restore(ratingState, outbox, past) {
  // Undo on another page builds on it too, whatever was noted as saved before it (sync_notes.js).
  function hold(answer, batch, last, state) {
    const card = ratingState.cardOf(answer, batch);
    if (!card) return;
    past.setLast(batch, answer, last);
    card.last = last;
    card.show(state);
  }
  for (const item of outbox.all()) {
    if (item.kind === "judgment") hold(item.answer, item.body.batch, item.body.id, stateOf(item.body));
    if (item.kind === "step" && item.batch === ratingState.batch && item.project === ratingState.project) ratingState.root.dataset.given = item.grade === null ? "off" : "on";
    for (const answer of item.kind === "step" ? item.answers : []) hold(answer, item.batch, `step:${item.body.id}`, item.grade === null ? UNRATED : { grade: item.grade, reason: null });
  }
  past.change();
  ratingState.tally();
}

// A step of several answers was stored: its rows have ids now. Ratings that build on them and wait already name the
// step, which the server understands, whoever sends them.
// Returns whether it left out answers that this page shows otherwise.
export function rebase(ratingState, past, { item, body }) {
  if (item.kind === "judgment") ratingState.cardOf(item.answer, item.body.batch)?.confirm(item.body.id, stateOf(item.body));
  if (item.kind !== "step") return false;
  const made = `step:${item.body.id}`;
  for (const [answer, rating] of Object.entries(body.ratings ?? {})) {
    if (past.lastOf(item.batch, answer) === made) past.setLast(item.batch, answer, rating.id);
    const card = ratingState.cardOf(answer, item.batch);
    card?.confirm(rating.id, item.grade === null ? UNRATED : { grade: item.grade, reason: null });
    if (card?.last === made) card.last = rating.id;
  }
  past.change();
  return item.answers.some((answer) => ratingState.cardOf(answer, item.batch)?.last === made);
}

// What was refused is taken off the screen, so that it shows what is stored; what was given since stays.
export function revert(ratingState, past, { item }) {
  const made = item.kind === "step" ? `step:${item.body.id}` : item.body.id;
  for (const answer of item.answers ?? [item.answer]) {
    const card = ratingState.cardOf(answer, item.batch);
    if (card?.last !== made) continue;
    card.revert();
    past.setLast(item.batch, answer, card.last);
  }
  past.change();
  ratingState.tally();
}
