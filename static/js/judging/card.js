// Used by the rating page.
// One answer on the page: what it shows, and the id of the last own rating that it shows.
// A state is {grade, reason}: a grade, a reason why there is none, or neither = not rated. 0 is a grade.
import { isSingle } from "./turning.js";
import { t, tn } from "../lib/words.js";
export const UNRATED = Object.freeze({ grade: null, reason: null });

export const same = (one, other) => one.grade === other.grade && one.reason === other.reason;
// What a message says, or a reply: "cleared" is a rating that took an earlier one back.
export const stateOf = ({ grade, reason }) => (reason === "cleared" ? UNRATED : { grade: grade ?? null, reason: reason ?? null });
export const isSettled = (state) => state.grade !== null || state.reason !== null;

export function words(state) {
  if (state.reason !== null) return t("“can’t judge”");
  if (state.grade === null) return t("not rated");
  return tn(state.grade, "%(n)s star", "%(n)s stars");
}

// Between the bar with the question and the one below, where the window is scrolled to now: from here to there.
function view() {
  const box = (bar) => document.querySelector(bar)?.getBoundingClientRect();
  const above = Math.max(0, box(".ask").bottom);
  const below = Math.min(innerHeight, box(".act")?.top ?? innerHeight);
  return above < below ? [above, below] : [0, innerHeight];
}

// Whether a share of something is between the bars; of what is higher than that, of the room there is.
function shows(one, share) {
  const [above, below] = view();
  const { top, bottom, height } = one.getBoundingClientRect();
  return Math.min(bottom, below) - Math.max(top, above) >= Math.min(height, below - above) * share - 1;
}

// So much of the end of a text, in pixels, tells whose stars are below it.
const LAST_LINES = 48;

// So much of a title is named on another page.
const LONGEST = 70;

// How far a page is turned: what was last in sight is first in sight then.
export const pageHeight = () => {
  const [above, below] = view();
  return Math.max(40, (below - above) * 0.875);
};

// What comes or goes above the answers by itself moves none from under the pointer: the window scrolls along.
export function steadily(root, change) {
  const seen = [...root.querySelectorAll("[data-answer]")].find((one) => one.getBoundingClientRect().bottom > 0);
  const before = seen?.getBoundingClientRect().top;
  change();
  if (seen) scrollBy({ top: seen.getBoundingClientRect().top - before, behavior: "instant" });
}

export function openCard(element) {
  const { answer, letter, place } = element.dataset;
  const find = (selector) => element.querySelector(selector);
  // Without a title, its text begins with what it is called on other pages.
  const title = find(".ans__title, .ans__text").textContent.trim();
  const card = {
    element,
    answer,
    letter,
    title: title.length > LONGEST ? `${title.slice(0, LONGEST)}…` : title,
    place: Number(place),
    last: element.dataset.base || null,
    state: {
      grade: element.dataset.grade === "" ? null : Number(element.dataset.grade),
      reason: element.dataset.reason || null,
    },
    find,
    // The ratings that the stored one came after (restore.js).
    behind: new Set(),
    // What the server is known to hold; a rating that it refuses is taken off the screen again.
    confirm(last = card.last, state = card.state) {
      if (last !== card.stored.last) card.behind.add(card.stored.last);
      card.stored = { state, last };
    },
    revert() {
      card.last = card.stored.last;
      card.show(card.stored.state);
    },
    // Whether somebody who looks at the window looks at this: at its stars (or at `part` of it), or at half of it at least.
    // Stars that stay in sight beside a long text say nothing of it: only below its end they count, with its last lines.
    isSeen(part) {
      if (!element.getClientRects().length) return false;
      if (isSingle(element.closest("main"))) return true;
      const stars = find(".stars");
      const text = find(".ans__body").getBoundingClientRect();
      const isBelow = stars.getBoundingClientRect().top >= text.bottom - 2;
      const isRead = text.bottom - Math.max(text.top, view()[0]) >= Math.min(text.height, LAST_LINES) - 1;
      return part && shows(part, 1) || isBelow && isRead && shows(stars, 1) || shows(element, 0.5);
    },
    // Whether a control of it can be seen as well: what the browser itself does with a key happens there.
    isAtHand: (control) => card.isSeen(control) && shows(control, 0.5),
    star: (grade) => find(`.stars input[value="${grade}"]`),
    chosen: () => find(".stars input:checked"),
    // What the radios say now, which may be ahead of what was committed.
    picked() {
      const input = card.chosen();
      return input ? { grade: Number(input.value), reason: null } : card.state.reason ? card.state : UNRATED;
    },
    show(state) {
      card.state = state;
      for (const input of element.querySelectorAll(".stars input")) input.checked = Number(input.value) === state.grade && state.grade !== null;
      element.classList.toggle("ans--done", state.grade !== null);
      element.classList.toggle("ans--pass", state.reason !== null);
      const cant = find('[data-ref="cant"]');
      if (cant) cant.textContent = state.reason === null ? t("Can’t judge") : t("Marked “can’t judge”");
      for (const button of element.querySelectorAll(".cant button")) button.setAttribute("aria-pressed", String(button.value === state.reason));
    },
  };
  card.stored = { state: card.state, last: card.last };
  return card;
}

// How far one is with a question, wherever the page says so: bar, words, and the strip of letters.
export function showTally(root, cards) {
  const of = cards.length;
  const settled = cards.filter((card) => isSettled(card.state)).length;
  const left = of - settled;
  const ref = (name) => root.querySelector(`[data-ref="${name}"]`);
  const bar = root.querySelector(".ask progress");
  bar.value = settled;
  const done = tn(of, "%(n)s of %(of)s answer done", "%(n)s of %(of)s answers done", { n: settled, of });
  bar.setAttribute("aria-label", done);
  ref("count").textContent = done;
  if (ref("left")) ref("left").textContent = left ? tn(left, "%(n)s answer left on this page", "%(n)s answers left on this page") : t("All done on this page");
  for (const card of cards) {
    const now = card.element.classList.contains("ans--now");
    const letter = root.querySelector(`[data-strip="${card.answer}"]`);
    letter.classList.toggle("strip--done", card.state.grade !== null);
    letter.classList.toggle("strip--pass", card.state.reason !== null);
    letter.classList.toggle("strip--now", now);
    if (now) letter.setAttribute("aria-current", "true");
    else letter.removeAttribute("aria-current");
  }
  return left;
}
