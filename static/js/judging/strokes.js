// Used by the rating page.
// What a key stroke means, whatever the keyboard.

// A key as it is written in the list: "j", "?", "Alt+n". Shift counts only where it makes another sign.
export function combination({ key, ctrlKey, altKey, metaKey }) {
  return `${ctrlKey ? "Ctrl+" : ""}${altKey ? "Alt+" : ""}${metaKey ? "Meta+" : ""}${key.toLowerCase()}`;
}

// A chord with Ctrl, Alt or ⌘.
export const isHeld = ({ ctrlKey, altKey, metaKey }) => ctrlKey || altKey || metaKey;

// Shift with a letter: another key than the letter alone.
export const isShifted = ({ key, shiftKey }) => shiftKey && key.toLowerCase() !== key.toUpperCase();

// The digit that is meant, or null.
export function digitOf(event) {
  if (isHeld(event)) return null;
  return /^[0-9]$/.test(event.key) && !event.shiftKey ? event.key : null;
}
