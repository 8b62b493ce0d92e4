// Used by the rating page.
// Single keys, everywhere on the page but its header: never in a text field, with a modifier (undo apart),
// during composition or on repeat. A digit is a grade, never a place in the list.
// A key as it is written in the list: "j", "?", "Alt+n". Shift counts only where it makes another sign.
export function combination({ key, ctrlKey, altKey, metaKey }) {
  return `${ctrlKey ? "Ctrl+" : ""}${altKey ? "Alt+" : ""}${metaKey ? "Meta+" : ""}${key.toLowerCase()}`;
}

const shifted = (event) => event.shiftKey && event.key.toLowerCase() !== event.key.toUpperCase();

export function connectKeys(desk, focus, { signal, preferences, undo, redo }) {
  const { root } = desk;
  const drawer = (id) => document.getElementById(id);

  function toggleDrawer(id) {
    const open = document.querySelector(".drawer:popover-open");
    open?.hidePopover();
    if (open?.id !== id) drawer(id).showPopover();
  }

  function rate(card, key) {
    const star = card.star(key);
    if (!star) return false;
    card.forget();
    desk.commit(card, { grade: Number(key), reason: null }, "key");
    star.focus({ preventScroll: true });
    if (preferences.advance) focus.onwardSoon(star);
    return true;
  }

  // The first key wakes the first answer that waits: a digit never changes a rating that nobody looks at.
  function wake() {
    const first = desk.cards.indexOf(desk.left()[0]);
    focus.go(Math.max(0, first));
  }

  function onDigit(key, panel) {
    if (focus.index() < 0) wake();
    const card = focus.current();
    if (!panel) return rate(card, key);
    const button = panel.matches(".cant") && panel.querySelectorAll("button")[key - 1];
    if (button) card.pass(button);
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

  function onAction(action) {
    if (action === "next" || action === "previous") {
      if (focus.index() < 0) wake();
      else focus.go(focus.index() + (action === "next" ? 1 : -1));
      return true;
    }
    const card = focus.current();
    if (!card || !Object.hasOwn(onCard, action)) return false;
    onCard[action](card);
    return true;
  }

  // Each account chooses its own keys; digits stay grades.
  const byKey = new Map(Object.entries(preferences.remap).map(([action, key]) => [key, action]));
  const isDigit = (key) => /^[0-9]$/.test(key);

  function leavePanel(event, panel) {
    event.preventDefault();
    const card = desk.byAnswer.get(panel.closest("[data-answer]").dataset.answer);
    card.closePanels();
    focus.go(desk.cards.indexOf(card));
  }

  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.isComposing || event.repeat || !(target instanceof Element)) return;
    if (event.key === "Enter" && target.type === "radio") return void event.preventDefault();
    const open = document.querySelector(".drawer:popover-open");
    const panel = target.closest(".ans__acts details[open]");
    if (event.key === "Escape" && panel && !open) return void leavePanel(event, panel);
    if (target.closest("textarea, select, [contenteditable]") || target.matches("input:not([type=radio])")) return;
    const key = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && !event.altKey && key === "z") {
      event.preventDefault();
      return void (event.shiftKey ? redo : undo)();
    }
    const held = event.ctrlKey || event.metaKey || event.altKey;
    if (!preferences.keys && !held) return;
    if (target !== document.body && !target.closest("main, .drawer")) return;
    const action = byKey.get(combination(event));
    if (action === "guide" || action === "help") toggleDrawer(action === "guide" ? "guide" : "keys");
    else if (open) return;
    else if (action === "undo") (event.shiftKey ? redo : undo)();
    else if (isDigit(key) ? held || event.shiftKey || !onDigit(key, panel) : shifted(event) || !onAction(action)) return;
    event.preventDefault();
  }, { signal });

  root.classList.toggle("keys-are-off", !preferences.keys);
}
