// Used by the rating page.
// Where the next question is not here yet, it opens as soon as everything has been sent: unless somebody has gone
// on working on this one meanwhile. Nothing is taken away under their hands.
import { t } from "../lib/words.js";

// Keys that do nothing by themselves, or only move.
const IDLE_KEYS = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock", "Tab"]);
const PRESSES = new Set(["Enter", " "]);
// What is pressed there asks for the same again: go on, try to send now, sign in.
const GOING_ON = '[data-act="next"], [data-ref="status"]';

function isWork({ type, key, target }) {
  if (!(target instanceof Element)) return false;
  if (type === "focusin") return target.matches("[data-answer] *, input, textarea, select");
  if (type === "keydown" && !PRESSES.has(key)) return !IDLE_KEYS.has(key);
  return !target.closest(GOING_ON);
}

// `move` opens the next question; `say` tells in words what happens.
export function openWait({ outbox, signal, say, move }) {
  let isOn = false;
  let told = false;
  let isMoving = false;
  let kept = "";

  // Nothing gets through at the moment: that is said once.
  function tell() {
    if (!isOn || told) return;
    told = true;
    say(navigator.onLine ? t("%(kept)s. The server does not answer. The next page opens when it is back", { kept }) : t("%(kept)s. The next page needs a connection. It opens when you are online again", { kept }), null, "off");
  }

  function check() {
    if (!isOn || !outbox.isEmpty()) return;
    isOn = false;
    isMoving = true;
    move();
  }

  // All that is left waits for the person's own decision. Returns whether they have asked to go on.
  function stop() {
    if (!isOn) return false;
    isOn = false;
    say(t("Choose which rating to keep, then go on"), null, "bad");
    return true;
  }

  // Until the next question arrives this one is still here, and so may be somebody who works on it.
  function onActivity(event) {
    if (!isOn && !isMoving || !isWork(event)) return;
    if (isMoving) window.stop();
    isOn = false;
    isMoving = false;
    // Whoever stops instead is told so.
    if (event.target instanceof Element && event.target.closest(".leave")) return;
    // The rating that may be under way takes nobody's words about the question away.
    const button = document.querySelector('[data-ref="next-word"]').textContent;
    say(t("Press “%(button)s” when you are ready", { button }), null, "good", true);
  }

  for (const name of ["keydown", "click", "focusin"]) document.addEventListener(name, onActivity, { signal, capture: true });

  return {
    isOn: () => isOn || isMoving,
    check,
    tell,
    stop,
    // `what` says in words that what was done stays, although the next page is not here.
    start(what) {
      kept = what;
      isOn = true;
      told = false;
      if (!navigator.onLine) tell();
      check();
    },
  };
}
