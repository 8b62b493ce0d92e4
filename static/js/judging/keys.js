// Used by the rating page.
// Single keys, everywhere on the page but its header: never in a text field, with a modifier (undo apart),
// during composition or on repeat. A digit is a grade, never a place in the list.
import { openDrawers } from "./beside.js";
import { words } from "./card.js";
import { combination, digitOf, isHeld, isShifted } from "./strokes.js";
import { t } from "../lib/words.js";

export function connectKeys(ratingState, focus, { signal, preferences, switches, undo, redo, say }) {
  const { root } = ratingState;
  const drawers = openDrawers(focus, signal);

  function rate(card, key) {
    const star = card.star(key);
    if (!star) return false;
    const { letter } = card;
    // Whoever is at a button of another place may not see it change.
    const isElsewhere = document.activeElement.closest(".act, .drawer");
    card.forget();
    ratingState.commit(card, { grade: Number(key), reason: null }, "key");
    if (card.pending) return true;
    star.focus({ preventScroll: true });
    if (isElsewhere) say(t("Answer %(letter)s: %(rating)s", { letter, rating: words(card.state) }));
    if (preferences.advance) focus.onwardSoon(star);
    return true;
  }

  // The answer that a key acts on now. One that is covered or out of sight is shown first, and only the next press
  // changes it.
  function atHand(panel) {
    const wasCovered = drawers.uncover();
    const card = focus.current();
    if (!wasCovered && focus.isReady(card, panel)) {
      focus.mark(card);
      return card;
    }
    if (panel) panel.scrollIntoView({ block: "nearest" });
    else focus.go(card);
    say(t("Nothing has changed yet. Press the key again for answer %(letter)s.", { letter: card.letter }), null, "none");
    return null;
  }

  function onDigit(key, panel) {
    const card = atHand(panel);
    if (!card) return true;
    if (!panel) return rate(card, key);
    const isPass = panel.matches(".cant");
    const button = panel.querySelectorAll(isPass ? "button" : ".quick button")[key - 1];
    if (button && isPass) card.pass(button);
    else button?.click();
    return Boolean(button);
  }

  const onCard = {
    cant: (card) => card.toggle(card.find(".cant")),
    note: (card) => card.toggle(card.find(".remark")),
    flag: (card) => card.flag(),
    clear: (card) => card.clear(),
    full: (card) => {
      const full = card.find(".full");
      if (full) full.open = !full.open;
    },
  };

  function onAction(action, panel) {
    if (action === "next" || action === "previous") {
      drawers.uncover();
      focus.step(action === "next" ? 1 : -1);
      return true;
    }
    if (action === "marks") {
      switches?.flip("marks");
      return Boolean(switches);
    }
    if (!Object.hasOwn(onCard, action)) return false;
    const card = atHand(panel);
    if (card) onCard[action](card);
    return true;
  }

  function move(event) {
    drawers.uncover();
    (event.shiftKey ? redo : undo)();
  }

  // Each account chooses its own keys; digits stay grades.
  const byKey = new Map(Object.entries(preferences.remap).map(([action, key]) => [key, action]));

  function leavePanel(event, panel) {
    event.preventDefault();
    const card = ratingState.byAnswer.get(panel.closest("[data-answer]").dataset.answer);
    card.closePanels();
    focus.go(card);
  }

  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.isComposing || event.repeat || !(target instanceof Element)) return;
    if (event.key === "Enter" && target.type === "radio") return void event.preventDefault();
    const panel = target.closest(".ans__acts details[open]");
    if (event.key === "Escape") return panel ? leavePanel(event, panel) : drawers.close();
    if (target.closest("textarea, select, [contenteditable]") || target.matches("input:not([type=radio])")) return;
    const key = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && !event.altKey && key === "z") {
      event.preventDefault();
      return void move(event);
    }
    if (!preferences.keys && !isHeld(event)) return;
    if (target !== document.body && !target.closest("main, .drawer")) return;
    const action = byKey.get(combination(event));
    const digit = action ? null : digitOf(event);
    if (action === "guide" || action === "help") drawers.toggle(action === "guide" ? "guide" : "keys");
    else if (action === "undo") move(event);
    else if (digit ? !onDigit(digit, panel) : isShifted(event) || !onAction(action, panel)) return;
    event.preventDefault();
  }, { signal });
}
