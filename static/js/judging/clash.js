// Used by the rating page.
// An answer was rated in another tab or on another device meanwhile: the person decides which rating stays.
import { UNRATED, same, stateOf, words } from "./card.js";
import { t } from "../lib/words.js";

export function connectClash(desk, { outbox, signal, release }) {
  const note = desk.ref("clash");
  const waiting = new Map();
  if (!note) return { add() {} };
  const [keep, adopt] = ["keep", "adopt"].map((act) => note.querySelector(`[data-act="${act}"]`));

  const mineOf = (answer) => outbox.all().filter((item) => item.answer === answer && item.kind === "judgment");

  function forget(answer) {
    for (const item of mineOf(answer)) outbox.remove(item.key);
    waiting.delete(answer);
  }

  function take(answer, current) {
    forget(answer);
    desk.settle(answer, current?.id ?? null, current ? stateOf(current) : UNRATED);
    release(answer);
    show();
  }

  function insist(answer, current) {
    const last = mineOf(answer).at(-1);
    forget(answer);
    const { place, of, batch, input } = last.body;
    desk.write({ answer, place, of }, stateOf(last.body), { input, base: current?.id ?? null, at: batch });
    release(answer);
    show();
  }

  function show() {
    const [first] = waiting;
    note.hidden = !first;
    if (!first) return;
    const [answer, { item, current }] = first;
    const mine = words(stateOf(mineOf(answer).at(-1)?.body ?? item.body));
    const theirs = words(current ? stateOf(current) : UNRATED);
    desk.ref("clash-title").textContent = t("Answer %(letter)s was changed in another tab", { letter: item.letter ?? "" });
    desk.ref("clash-text").textContent = t("There it is %(theirs)s, here it is %(mine)s. Which one stays?", { theirs, mine });
    keep.textContent = t("Keep this: %(mine)s", { mine });
    adopt.textContent = t("Use that: %(theirs)s", { theirs });
    keep.onclick = () => insist(answer, current);
    adopt.onclick = () => take(answer, current);
  }

  signal.addEventListener("abort", () => waiting.clear());
  return {
    add({ item, current }) {
      const mine = stateOf(mineOf(item.answer).at(-1)?.body ?? item.body);
      // Both say the same: there is nothing to decide.
      if (same(mine, current ? stateOf(current) : UNRATED)) return take(item.answer, current);
      waiting.set(item.answer, { item, current });
      return show();
    },
  };
}
