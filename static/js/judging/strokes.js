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

// The digit that is meant, or null. Some keyboards write a digit only with Shift (French), or other signs on the
// same keys: there the key without Shift is the digit too.
export function digitOf(event) {
  if (isHeld(event)) return null;
  if (/^[0-9]$/.test(event.key)) return event.key;
  return event.shiftKey ? null : /^Digit([0-9])$/.exec(event.code)?.[1] ?? null;
}
