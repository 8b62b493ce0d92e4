// Used where answers are rated or adjudicated: fetched when the guidelines or the list of keys open first.
// Beside the answers they stay open while somebody rates. Where there is no room beside, they cover the answers:
// a press outside closes them and does nothing else, and so does the focus when it leaves them.
const NARROW = matchMedia("(max-width: 63.99rem)");
const drawers = [...document.querySelectorAll(".drawer")];
const shown = () => drawers.find((one) => one.matches(":popover-open"));
const isOutside = ({ target }) => NARROW.matches && shown() && !target.closest(".drawer, [popovertarget]");
let back = null;
let closes = false;

// Nobody took the focus elsewhere meanwhile.
const isFree = () => document.activeElement === document.body || Boolean(document.activeElement.closest(".drawer"));
const giveBack = () => { if (!shown() && isFree() && back?.isConnected) back.focus({ preventScroll: true }); };

// `from` had the focus before, and has it again after.
export function onOpen(drawer, from) {
  if (from !== document.body && !from.closest(".drawer")) back = from;
  // It was closed before this file was here.
  if (shown() !== drawer) return void giveBack();
  for (const other of drawers) if (other !== drawer) other.hidePopover();
  if (document.activeElement === from) drawer.querySelector("h2").focus();
}

for (const drawer of drawers) {
  let held = false;
  drawer.addEventListener("beforetoggle", () => { held = drawer.contains(document.activeElement); });
  drawer.addEventListener("toggle", ({ newState }) => { if (newState === "closed" && held) giveBack(); });
}
document.addEventListener("pointerdown", (event) => { closes = Boolean(isOutside(event)); }, { capture: true });
document.addEventListener("focusin", (event) => { if (isOutside(event)) shown().hidePopover(); });
document.addEventListener("click", (event) => {
  if (!closes) return;
  closes = false;
  event.preventDefault();
  event.stopPropagation();
  shown()?.hidePopover();
}, { capture: true });
