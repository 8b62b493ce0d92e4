// Used by the rating page.
// Which answer is the current one: focused, clicked or opened by its address, or else the first unrated one in
// sight. Saving, unfolding and errors never move it.
import { isSettled } from "./card.js";
import { isSingle } from "./turning.js";

const PAUSE = 250;
// Nobody sees what is there now and presses it, in so short a time.
const SURPRISE = 300;

export function openFocus(ratingState, { signal }) {
  const { cards, root } = ratingState;
  // Focused, clicked or opened by its address.
  let chosen = null;
  let shown = null;
  let moving = 0;
  let soon = null;
  let movedAt = -SURPRISE;
  // When the page itself brought an answer into sight.
  const broughtAt = new Map();
  // The page has moved on from its last answer to the button that goes on.
  let isThrough = false;

  // Without one, what a key shows first: the first unrated one wherever it is, else the first in sight.
  function current() {
    const left = ratingState.left();
    // One that fills the screen stays there.
    if (isSingle(root)) return chosen ?? shown ?? left[0] ?? cards[0];
    return chosen ?? left.find((card) => card.isSeen()) ?? left[0] ?? cards.find((card) => card.isSeen()) ?? cards[0];
  }

  function show() {
    const now = current();
    if (now === shown) return;
    shown = now;
    for (const card of cards) card.element.classList.toggle("ans--now", card === now);
    ratingState.tally();
  }

  function mark(card) {
    chosen = card;
    isThrough = false;
    show();
  }

  // Room between the two bars: an answer taller than that is entered at its title.
  const room = () => innerHeight - root.querySelector(".ask").offsetHeight - (root.querySelector(".act")?.offsetHeight ?? 0) - 32;

  const isTall = (card) => card.element.offsetHeight > room();
  const enter = (card) => (isTall(card) ? card.find("h2") : card.chosen() ?? card.find(".stars input")).focus({ preventScroll: true });

  function stop() {
    clearTimeout(moving);
    soon = null;
  }

  const focus = {
    current,
    mark,
    // The page moves by itself; `wasCovered`: nothing of it was in sight.
    bring(move, wasCovered = false) {
      const unseen = cards.filter((card) => wasCovered || !card.isSeen());
      move();
      for (const card of unseen) if (card.isSeen()) broughtAt.set(card, performance.now());
    },
    isJustBrought: (card) => performance.now() - broughtAt.get(card) < SURPRISE,
    // Whether a key may act on it: in sight for long enough, and chosen before a rating of it is changed.
    isReady: (card, part) => card.isSeen(part) && !focus.isJustBrought(card) && (card === chosen || !isSettled(card.state)),
    stop,
    // To the next answer or back to the one before; first of all to the current one, unless it fills the screen.
    step(by) {
      const from = chosen ?? (isSingle(root) ? current() : null);
      focus.go(from ? cards[cards.indexOf(from) + by] ?? from : current());
    },
    go(card, block = "nearest") {
      stop();
      mark(card);
      enter(card);
      card.element.scrollIntoView({ block: isTall(card) ? "start" : block });
    },
    place: () => ({ answer: chosen?.answer, y: scrollY }),
    // To the answer in the address, or where this question was left; the first time to its heading.
    open(place) {
      if (visit()) return;
      // That it was marked "can't judge" stands above its answers.
      const left = root.querySelector('[data-ref="declined"]:not([hidden])') ? null : place;
      const card = ratingState.byAnswer.get(left?.answer);
      if (card) {
        mark(card);
        enter(card);
      } else root.querySelector("h1").focus({ preventScroll: true });
      if (left) scrollTo(0, left.y);
      show();
    },
    // To an answer that was changed by undo: a key goes there, so that the next digit does; the button keeps focus.
    back(card) {
      focus.bring(() => {
        if (!document.activeElement?.closest(".act")) return void focus.go(card);
        mark(card);
        card.element.scrollIntoView({ block: "nearest" });
      });
    },
    // Everything here is rated: Enter goes on, and a key changes an answer only after it has been shown and asked about.
    finish() {
      stop();
      chosen = null;
      show();
      root.querySelector('[data-act="next"]')?.focus({ preventScroll: true });
    },
    onward() {
      const left = ratingState.left();
      if (!left.length) {
        isThrough = true;
        root.querySelector('[data-act="next"]')?.focus();
        return;
      }
      focus.bring(() => focus.go(left.find((card) => cards.indexOf(card) > cards.indexOf(chosen)) ?? left[0]));
    },
    // After a digit or a press, unless focus has gone somewhere else in the meantime.
    onwardSoon(from, { isPress = false } = {}) {
      stop();
      soon = () => {
        stop();
        if (document.activeElement !== from) return;
        focus.onward();
        if (isPress) movedAt = performance.now();
      };
      moving = setTimeout(soon, PAUSE);
    },
    // What would take the focus soon has it now: whoever takes it next gives it back there.
    hurry: () => soon?.(),
    // Nobody who rates on by keys means the last answer again.
    isThrough: () => isThrough && !ratingState.left().length,
    hasJustMoved: () => performance.now() - movedAt < SURPRISE,
    show,
  };

  // Returns whether the address names an answer, or what was said of the whole question.
  function visit() {
    const card = cards.find(({ element }) => location.hash === `#${element.id}`);
    if (card) focus.go(card, "start");
    const whole = ["#declined", "#report"].includes(location.hash) ? document.querySelector(location.hash) : null;
    whole?.scrollIntoView({ block: "center" });
    return Boolean(card || whole);
  }

  for (const name of ["focusin", "click"]) {
    for (const card of cards) card.element.addEventListener(name, () => mark(card), { signal });
  }
  for (const name of ["scroll", "resize"]) addEventListener(name, show, { signal, passive: true });
  addEventListener("hashchange", visit, { signal });
  // On a phone a letter leads to its answer, which is the current one then.
  root.querySelector(".strip").addEventListener("click", (event) => {
    const letter = event.target.closest("[data-strip]");
    if (!letter) return;
    event.preventDefault();
    focus.go(ratingState.byAnswer.get(letter.dataset.strip), "start");
  }, { signal });
  return focus;
}
