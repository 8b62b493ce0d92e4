// Used by the rating page.
// What this device knows and the page does not: what the outbox holds is shown again after a reload, and put right by
// the replies; what the server has confirmed is kept as well.
import { UNRATED, same, stateOf } from "./card.js";

const PREFIX = "touchstone.noted.";
const LONGEST = 50;

export function restore(ratingState, outbox, past) {
  // Undo on another page builds on it too, whatever was noted as saved before it.
  function hold(answer, batch, last, state) {
    const card = ratingState.cardOf(answer, batch);
    if (!card) return;
    past.setLast(batch, answer, last, state);
    card.last = last;
    card.show(state);
  }
  for (const item of outbox.all()) {
    if (item.kind === "judgment") hold(item.answer, item.body.batch, item.body.id, stateOf(item.body));
    if (item.kind === "declined" && ratingState.asks(item)) ratingState.mark(item.body.reason !== null);
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
  const state = item.grade === null ? UNRATED : { grade: item.grade, reason: null };
  for (const [answer, rating] of Object.entries(body.ratings ?? {})) {
    if (past.lastOf(item.batch, answer) === made) past.setLast(item.batch, answer, rating.id, state);
    const card = ratingState.cardOf(answer, item.batch);
    card?.confirm(rating.id, state);
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
    past.setLast(item.batch, answer, card.last, card.state);
  }
  past.change();
  ratingState.tally();
}

// What the server has confirmed of one batch, kept on this device. A page can be older than that: it was kept for
// going on offline, or asked for just before the last rating arrived. No clock tells (they jump): each note names
// the ratings that it came after, and only a page that shows one of those learns of it.
export function openNoteSync({ person, project, batch }) {
  const name = `${PREFIX}${person}.${project}.${batch}`;
  const load = () => {
    try {
      return JSON.parse(localStorage.getItem(name)) ?? [];
    } catch {
      return [];
    }
  };

  // Brings a page up to what is known here, but no stars that somebody is passing over just now.
  function recall(ratingState) {
    for (const [answer, stored, behind] of load()) {
      const card = ratingState.byAnswer.get(answer);
      if (!card || !(behind.includes(card.last) || stored.last === card.last)) continue;
      for (const id of behind) card.behind.add(id);
      if (stored.last !== card.last && same(card.picked(), card.state)) ratingState.settle(answer, stored.last, stored.state);
    }
  }

  return {
    // Now, and whenever another tab of this device has saved or decided something.
    follow(ratingState, signal) {
      recall(ratingState);
      addEventListener("storage", ({ key }) => { if (key === name) recall(ratingState); }, { signal });
    },
    // Of the batches that were left, nothing stays.
    note(cards) {
      const rated = cards.filter((card) => card.behind.size);
      try {
        for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX) && key !== name) localStorage.removeItem(key);
        localStorage.setItem(name, JSON.stringify(rated.map(({ answer, stored, behind }) => [answer, stored, [...behind].slice(-LONGEST)])));
      } catch {
        // No room: the server knows, and asks where this page would overwrite something.
      }
    },
  };
}
