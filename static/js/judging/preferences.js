// Used by the rating page.
// Keys on or off, and whether a digit moves on: it holds at once, and is kept for the account.
import { at, send } from "../lib/http.js";
import { t } from "../lib/words.js";

export function connectPreferences(root, { signal, preferences }) {
  for (const button of document.querySelectorAll('[data-act="keys"], [data-act="advance"]')) {
    button.addEventListener("click", () => choose(button.dataset.act), { signal });
  }

  // Few people ever change their keys: what that takes is fetched when the table is opened.
  document.querySelector(".remap")?.addEventListener("toggle", async () => {
    const { connectRemap } = await import("./remap.js");
    connectRemap({ signal });
  }, { signal, once: true });

  function choose(name) {
    preferences[name] = !preferences[name];
    root.classList.toggle("keys-are-off", !preferences.keys);
    const labels = {
      keys: preferences.keys ? t("Turn keys off") : t("Turn keys on"),
      advance: preferences.advance ? t("Stay on the answer after a digit") : t("Move on after a digit"),
    };
    for (const button of document.querySelectorAll(`[data-act="${name}"]`)) button.textContent = labels[name];
    send(at("/api/v1/session/preferences"), { method: "PATCH", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ [name]: preferences[name] }) })
      .catch(() => { /* Offline: it holds until the page is left. */ });
  }
}
