// Used by the rating page.
// What the outbox knows and the server does not yet: shown again after a reload, and put right by the replies.
import { UNRATED } from "./card.js";

export function restore(desk, outbox) {
  for (const item of outbox.all()) {
    if (item.kind === "judgment") {
      const card = desk.byAnswer.get(item.answer);
      if (!card) continue;
      card.last = item.body.id;
      card.show(item.body.reason === "cleared" ? UNRATED : { grade: item.body.grade, reason: item.body.reason ?? null });
    }
    for (const answer of item.kind === "step" ? item.answers : []) {
      const card = desk.byAnswer.get(answer);
      if (!card) continue;
      card.last = `step:${item.body.id}`;
      card.show(item.grade === null ? UNRATED : { grade: item.grade, reason: null });
    }
  }
  desk.tally();
}

// A step of several answers was stored: its rows have ids now, and ratings that build on them learn theirs.
// Returns whether it left out answers that this page shows otherwise.
export function rebase(desk, outbox, past, { item, body }) {
  const own = desk.byAnswer.get(item.answer);
  if (item.kind === "judgment" && own?.last === item.body.id) own.confirm();
  if (item.kind !== "step") return false;
  const made = `step:${item.body.id}`;
  for (const [answer, rating] of Object.entries(body.ratings ?? {})) {
    for (const other of outbox.all()) {
      if (other.answer === answer && other.body.base === made) outbox.change({ ...other, body: { ...other.body, base: rating.id } });
    }
    if (past.last[answer] === made) past.last[answer] = rating.id;
    const card = desk.byAnswer.get(answer);
    if (card?.last !== made) continue;
    card.last = rating.id;
    card.confirm();
  }
  past.change();
  return item.answers.some((answer) => desk.byAnswer.get(answer)?.last === made);
}

// What was refused is taken off the screen, so that it shows what is stored.
export function revert(desk, { item }) {
  for (const answer of item.answers ?? [item.answer]) desk.byAnswer.get(answer)?.revert();
  desk.tally();
}
