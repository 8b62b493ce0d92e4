// Used by the rating page.
// How somebody rates, as buttons that are on or off: it holds at once, and is kept for the account.
import { at, send } from "../lib/http.js";
import { t } from "../lib/words.js";

const FINGER = "(pointer: coarse)";

export function readPreferences({ dataset, classList }) {
  const isOn = (name) => dataset[name] === "on";
  return {
    keys: isOn("keys"),
    advance: isOn("advance"),
    marks: isOn("marks"),
    single: classList.contains("single"),
    tap: dataset.tap,
    remap: JSON.parse(dataset.remap),
  };
}

// Whether a star moves on, given by a key, a mouse or a finger.
export function movesOn({ advance, tap }, by) {
  if (by === "key") return advance;
  return tap === "always" || tap === "touch" && by === "touch";
}

// A question that was fetched ahead of need does as the one before it.
export function bringPreferences({ dataset, classList }, next) {
  for (const name of ["keys", "advance", "tap", "marks", "remap"]) if (name in dataset) next.dataset[name] = dataset[name];
  next.classList.toggle("single", classList.contains("single"));
}

export function connectPreferences(root, { signal, preferences, changed }) {
  for (const button of document.querySelectorAll('[data-act="keys"]')) button.addEventListener("click", () => choose("keys", !preferences.keys), { signal });
  for (const button of document.querySelectorAll("[data-switch]")) button.addEventListener("click", () => flip(button.dataset.switch), { signal });

  // Few people ever change their keys: what that takes is fetched when the table is opened.
  document.querySelector(".remap")?.addEventListener("toggle", async () => {
    const { connectRemap } = await import("./remap.js");
    connectRemap({ signal });
  }, { signal, once: true });

  const isOn = (name) => (name === "tap" ? movesOn(preferences, matchMedia(FINGER).matches ? "touch" : "mouse") : preferences[name]);

  function show() {
    root.classList.toggle("keys-are-off", !preferences.keys);
    root.classList.toggle("single", preferences.single);
    root.dataset.tap = preferences.tap;
    for (const name of ["keys", "advance", "marks"]) root.dataset[name] = preferences[name] ? "on" : "off";
    for (const button of document.querySelectorAll('[data-act="keys"]')) button.textContent = preferences.keys ? t("Turn keys off") : t("Turn keys on");
    for (const button of document.querySelectorAll("[data-switch]")) button.setAttribute("aria-pressed", String(isOn(button.dataset.switch)));
  }

  function choose(name, value) {
    preferences[name] = value;
    show();
    changed();
    send(at("/api/v1/session/preferences"), { method: "PATCH", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ [name]: value }) })
      .catch(() => { /* Offline: it holds as long as questions follow one another here. */ });
  }

  function flip(name) {
    choose(name, name === "tap" ? (isOn("tap") ? "never" : "always") : !preferences[name]);
  }

  show();
  return { flip };
}
