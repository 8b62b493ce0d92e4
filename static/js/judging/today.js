// Used by the rating page.
// How many answers were rated today, as a reload would tell: what the server said when it wrote the page, or the
// question before showed, and what has been done since, here and by undo on other pages.
import { isSettled } from "./card.js";
import { t, tn } from "../lib/words.js";

// What the last question of this tab showed: the next one was fetched before, and knows less. Null: not known.
let shown = null;

export function followToday(ratingState, outbox) {
  const line = ratingState.ref("today");
  // A page that was kept knows only what had been done when it was, and so do those that follow it.
  const { ahead, kept } = ratingState.root.dataset;
  if (ahead !== "on") shown = kept === "on" || !line ? null : Number(line.dataset.count);
  if (line) line.hidden = shown === null;
  if (shown === null) return { add() {}, stored() {} };
  const goal = Number(line.dataset.goal);
  // A rating of an earlier day counts there, until another one takes its place.
  const earlier = new Map(ratingState.cards.filter(({ element }) => element.dataset.earlier === "on").map((card) => [card, card.last]));
  const isOfToday = (card) => isSettled(card.state) && (!earlier.has(card) || earlier.get(card) !== card.last);
  const here = () => ratingState.cards.filter(isOfToday).length;
  let elsewhere = shown - here();

  function show() {
    shown = elsewhere + here();
    const words = line.firstElementChild;
    words.textContent = goal
      ? tn(
          shown,
          "Today, in all projects: %(n)s answer done, goal %(goal)s",
          "Today, in all projects: %(n)s answers done, goal %(goal)s",
          { n: shown, goal },
        )
      : tn(shown, "Today, in all projects: %(n)s answer done", "Today, in all projects: %(n)s answers done");
  }

  function add(answers) {
    elsewhere += answers;
    show();
  }

  // What steps reached beyond the page whose undo waits to be sent: only what is left in the end is counted.
  const held = new Map();

  ratingState.onChange(show);
  return {
    add,
    // "No good answer" and its undo reach answers beyond the page that they were chosen on: the server says which.
    stored({ kind, answers, grade, body: { id, undo } }, { ratings }) {
      if (kind !== "step") return;
      const others = Object.keys(ratings ?? {}).filter((answer) => !answers.includes(answer)).length;
      if (outbox.all().some(({ body }) => body.undo === id)) return void held.set(id, others);
      const change = grade === null ? (held.get(undo) ?? 0) - others : others;
      held.delete(undo);
      if (change) add(change);
    },
  };
}
