// Used by the rating page.
// Single keys, everywhere on the page but where keys led to a button of its header: never in a text field, with a
// modifier (undo apart), during composition or on repeat. A digit is a grade, never a place in the list.
import { openDrawers } from "./beside.js";
import { pageHeight, words } from "./card.js";
import { t } from "../lib/words.js";

// What the browser itself does with a key: it chooses a star, and presses whatever has the focus.
const CHOOSES = new Set([" ", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"]);
const PRESSES = new Set([" ", "Enter"]);
// What Enter presses, opens or writes in; elsewhere on the page it goes on.
const PRESSED = "a, button, summary, label, input, textarea, select, [contenteditable], dialog, .drawer";
const LINE = 40;

// A key as it is written in the list: "j", "?", "Alt+n". Shift counts only where it makes another sign.
export function combination({ key, ctrlKey, altKey, metaKey }) {
  return `${ctrlKey ? "Ctrl+" : ""}${altKey ? "Alt+" : ""}${metaKey ? "Meta+" : ""}${key.toLowerCase()}`;
}

// A chord with Ctrl, Alt or ⌘.
const isHeld = ({ ctrlKey, altKey, metaKey }) => ctrlKey || altKey || metaKey;

// Shift with a letter: another key than the letter alone.
const isShifted = ({ key, shiftKey }) => shiftKey && key.toLowerCase() !== key.toUpperCase();

// The digit that is meant, or null. Some keyboards write a digit only with Shift (French), or other signs on the
// same keys: there the key without Shift is the digit too.
function digitOf(event) {
  if (isHeld(event)) return null;
  if (/^[0-9]$/.test(event.key)) return event.key;
  return event.shiftKey ? null : /^Digit([0-9])$/.exec(event.code)?.[1] ?? null;
}

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

  // The answer that a key acts on now. One that is covered or out of sight is shown first, and only a later press
  // changes it.
  function atHand(panel) {
    const wasCovered = drawers.uncover();
    const card = focus.current();
    if (!wasCovered && focus.isReady(card, panel)) {
      focus.mark(card);
      return card;
    }
    // What a key would have changed is shown, and said.
    focus.bring(() => (panel ? panel.scrollIntoView({ block: "nearest" }) : focus.go(card)), wasCovered);
    ask(card);
    return null;
  }

  function ask({ letter }) {
    say(t("Key ignored. Press it again for answer %(letter)s.", { letter }), null, "none");
  }

  // Where such a key would act on an answer out of sight it scrolls the page, as it does anywhere else; one that
  // scrolls nothing asks.
  function holdBack(event) {
    const { key, target } = event;
    const control = target.closest('[data-answer] :is(input[type="radio"], button, summary)');
    const isStar = control?.matches("input");
    if (!control || isHeld(event) || !(isStar ? CHOOSES : PRESSES).has(key)) return;
    const card = ratingState.byAnswer.get(control.closest("[data-answer]").dataset.answer);
    const isNew = focus.isJustBrought(card);
    if (!isNew && (isStar ? card.isSeen() && card.isAtHand(control.closest("label")) : card.isAtHand(control))) return;
    event.preventDefault();
    if (isNew) ask(card);
    else if (key === " ") scrollBy(0, event.shiftKey ? -pageHeight() : pageHeight());
    else if (key === "ArrowDown" || key === "ArrowUp") scrollBy(0, key === "ArrowDown" ? LINE : -LINE);
    else if (!event.repeat) show(card, isStar ? card.find(".stars") : control, isStar);
  }

  // The focus stays where it is: the same key acts there next.
  function show(card, part, isStar) {
    focus.bring(() => {
      if (isStar) card.element.scrollIntoView({ block: "nearest" });
      part.scrollIntoView({ block: "nearest" });
    });
    ask(card);
  }

  function onDigit(key, panel) {
    if (!panel) {
      const grades = [...root.querySelectorAll("[data-answer]:first-of-type .stars input")].map(({ value }) => value);
      if (!grades.includes(key)) {
        say(t("There is no %(key)s here: press %(low)s to %(high)s", { key, low: grades[0], high: grades.at(-1) }), null, "none");
        return true;
      }
      // One digit right after the other is meant for the next answer.
      focus.hurry();
      if (focus.isThrough()) {
        say(t("All answers on this page are done: press Enter to go on, or click an answer to change it"), null, "none");
        return true;
      }
    }
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

  // Enter chooses no star. Where all is rated it leads to the button that goes on, and the next press does.
  function onEnter(event) {
    event.preventDefault();
    ratingState.cards.forEach((card) => card.settle());
    const next = root.querySelector('[data-act="next"]');
    if (!next || ratingState.left().length) return;
    focus.stop();
    next.focus();
    say(t("All answers done. Press Enter again to go on"));
  }

  function move(event) {
    drawers.uncover();
    (event.shiftKey ? redo : undo)();
  }

  // Each account chooses its own keys; digits stay grades.
  const byKey = new Map(Object.entries(preferences.remap).map(([action, key]) => [key, action]));

  function reasons(target) {
    if (target.closest(".ask, .act, .drawer")) return null;
    const card = focus.current();
    return card?.find(card.pending ? ".cant[open], .remark[open]" : ".cant[open]");
  }

  // Why the whole question cannot be judged; chosen only in sight.
  function onWhole(key, whole) {
    const { top, bottom } = whole.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) {
      whole.scrollIntoView({ block: "center" });
      say(whole.querySelector("p").textContent.trim(), null, "none");
    } else whole.querySelectorAll("button")[key - 1]?.click();
    return true;
  }

  function leavePanel(event, panel) {
    event.preventDefault();
    const card = ratingState.byAnswer.get(panel.closest("[data-answer]").dataset.answer);
    card.closePanels();
    focus.go(card);
  }

  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.isComposing || !(target instanceof Element)) return;
    if (!event.defaultPrevented) holdBack(event);
    // A key that is held goes on to nothing else: what it has pressed may have moved the focus.
    if (event.repeat && PRESSES.has(event.key) && target.closest("main button")) event.preventDefault();
    if (event.defaultPrevented || event.repeat) return;
    if (event.key === "Enter" && (target.type === "radio" || !target.closest(PRESSED))) return void onEnter(event);
    // Reasons that are open are what a digit means, wherever on their answer the focus is: the stars show no digits then.
    const panel = target.closest(".ans__acts details[open]") ?? reasons(target);
    const whole = panel || target.closest(".drawer") ? null : root.querySelector(".cant-all[open]");
    if (event.key === "Escape" && whole) return void (whole.open = false, whole.firstElementChild.focus());
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
    else if (digit ? !(whole ? onWhole(digit, whole) : onDigit(digit, panel)) : isShifted(event) || !onAction(action, panel)) return;
    event.preventDefault();
  }, { signal });

  // After a click in the header keys are meant for the answers again; whoever went there by keys stays.
  document.addEventListener("click", ({ detail, target }) => {
    if (detail && !target.closest("main, .drawer")) document.activeElement.blur();
    if (!target.closest(".cant-all, .drawer")) root.querySelector(".cant-all[open]")?.removeAttribute("open");
  }, { signal });
}
