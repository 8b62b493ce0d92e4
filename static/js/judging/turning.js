// Used by the rating page.
// One answer at a time, on phones: buttons beside the stars and swipes turn to the next answer or back. Whether the
// account wants it is a class of <main>; the styles decide what is a phone, and PHONE says the same here.
const PHONE = "(max-width: 47.99rem) and (min-height: 30.01rem)";
// So far, so much more sideways than up or down, and not from the edge, where the browser's own gesture begins.
const [FAR, SIDEWAYS, EDGE] = [48, 1.5, 20];

export const isSingle = (root) => root.classList.contains("single") && matchMedia(PHONE).matches;

export function connectTurning({ root }, focus, { signal }) {
  let from = null;
  const step = (by) => focus.step(by);
  for (const [act, by] of [["back", -1], ["forth", 1]]) {
    root.querySelector(`[data-act="${act}"]`).addEventListener("click", () => step(by), { signal });
  }

  // What scrolls sideways itself, or is chosen from, is not swiped away.
  const isSwiped = ({ target, touches }) => {
    if (touches.length !== 1 || !isSingle(root) || target.closest(".ask, .act, .turn, .stars, textarea, pre, table")) return false;
    const { clientX } = touches[0];
    return clientX > EDGE && clientX < innerWidth - EDGE;
  };
  root.addEventListener("touchstart", (event) => {
    const [{ clientX, clientY }] = event.touches;
    from = isSwiped(event) ? { x: clientX, y: clientY } : null;
  }, { signal, passive: true });
  root.addEventListener("touchcancel", () => { from = null; }, { signal, passive: true });
  root.addEventListener("touchend", ({ changedTouches }) => {
    if (!from || String(getSelection())) return;
    const [x, y] = [changedTouches[0].clientX - from.x, changedTouches[0].clientY - from.y];
    from = null;
    if (Math.abs(x) < FAR || Math.abs(x) < SIDEWAYS * Math.abs(y)) return;
    step((x < 0) === (getComputedStyle(root).direction === "ltr") ? 1 : -1);
  }, { signal, passive: true });
}
