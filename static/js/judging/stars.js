// Used by the rating page.
// Stars are native radios. Arrow keys check every star they pass, so a choice counts 600 ms after the last
// change or on leaving the group; a press counts at once. Enter never submits a star.
import { same } from "./card.js";
import { movesOn } from "./preferences.js";

const PASSING = 600;

export function connectStars(ratingState, focus, { signal, input, preferences }) {
  for (const card of ratingState.cards) {
    const group = card.find(".stars");
    let wait = 0;

    const settle = () => {
      clearTimeout(wait);
      const picked = card.picked();
      if (!same(picked, card.state)) ratingState.commit(card, picked, input());
    };

    const press = () => {
      settle();
      if (!card.pending && movesOn(preferences, input())) focus.onwardSoon(document.activeElement, { isPress: true });
    };

    group.addEventListener("change", () => {
      clearTimeout(wait);
      // Who chooses a star has no reason to give any more.
      card.find(".cant")?.removeAttribute("open");
      if (input() === "key") wait = setTimeout(settle, PASSING);
      else press();
    }, { signal });
    // Right after the page has moved on by itself, a press was meant for what was there before.
    group.addEventListener("click", (event) => {
      if (event.detail && focus.hasJustMoved()) event.preventDefault();
    }, { signal, capture: true });
    group.addEventListener("focusout", (event) => {
      if (!group.contains(event.relatedTarget)) settle();
    }, { signal });
    card.find(".one").addEventListener("submit", (event) => event.preventDefault(), { signal });
    card.settle = settle;
    // A star that was only passed on the way to something else is taken off the screen again.
    card.forget = () => {
      clearTimeout(wait);
      card.show(card.state);
    };
  }
  // A tab that is left or closed takes what was chosen with it.
  addEventListener("pagehide", () => ratingState.cards.forEach((card) => card.settle()), { signal });
}

// How the person works right now: a key, a mouse or a finger.
export function watchInput(signal) {
  let last = "mouse";
  document.addEventListener("keydown", () => { last = "key"; }, { signal, capture: true });
  document.addEventListener("pointerdown", (event) => { last = event.pointerType === "touch" ? "touch" : "mouse"; }, { signal, capture: true });
  return () => last;
}
