// Used by the rating page.
// How many answers were rated today: what the server said when it wrote the page, or the question before showed, and
// what has been rated here since.
import { t, tn } from "../lib/words.js";

// What the last question of this tab showed: the next one was fetched before, and knows less.
let shown = 0;

export function followToday(ratingState) {
  const line = ratingState.ref("today");
  if (!line) return;
  const goal = Number(line.dataset.goal);
  const settled = () => ratingState.cards.length - ratingState.left().length;
  const base = Math.max(Number(line.dataset.count), shown) - settled();
  ratingState.onChange(() => {
    shown = base + settled();
    const words = line.firstElementChild;
    words.textContent = goal
      ? tn(shown, "Today: %(n)s answer done, goal %(goal)s", "Today: %(n)s answers done, goal %(goal)s", { n: shown, goal })
      : tn(shown, "Today: %(n)s answer done", "Today: %(n)s answers done");
    line.classList.toggle("today--done", goal > 0 && shown >= goal);
  });
}
