// Used by the rating page.
// The time somebody really spent, worked out from events: while the tab is visible, and for a minute at most
// after each sign of life.
const IDLE = 60_000;
const SIGNS = ["pointerdown", "pointermove", "keydown", "scroll", "focusin", "touchstart"];

export function startClock(signal) {
  let spent = 0;
  let last = performance.now();

  function sign() {
    const now = performance.now();
    if (!document.hidden) spent += Math.min(now - last, IDLE);
    last = now;
  }

  for (const name of SIGNS) document.addEventListener(name, sign, { signal, passive: true, capture: true });
  document.addEventListener("visibilitychange", () => {
    // What lies before the tab was left counts, what lies between does not.
    const now = performance.now();
    if (document.hidden) spent += Math.min(now - last, IDLE);
    last = now;
  }, { signal });

  return {
    // Active milliseconds since the last rating.
    take() {
      sign();
      const taken = Math.round(spent);
      spent = 0;
      return taken;
    },
  };
}
