// Used by the rating page.
// The table in the list of keys: a key pressed in a field becomes the key of its action. The server refuses
// what collides; what it accepts holds for the account, on every device.
import { at, send } from "../lib/http.js";
import { combination } from "./keys.js";
import { whyAway } from "./outbox.js";
import { t } from "../lib/words.js";

const PASSING = new Set(["Tab", "Escape", "Enter", "Shift", "Control", "Alt", "Meta", "AltGraph", "Backspace", "Delete"]);

export function connectRemap({ signal }) {
  const form = document.querySelector('[data-act="remap"]');
  if (!form) return;
  const message = form.querySelector('[data-ref="remap-message"]');
  // Until now a key would have been typed instead of taken.
  for (const field of form.querySelectorAll(".input")) field.readOnly = false;

  async function choose(remap) {
    message.textContent = "";
    try {
      const reply = await send(at("/api/v1/session/preferences"), {
        method: "PATCH",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ remap }),
      });
      if (reply.ok) location.reload();
      else message.textContent = (await reply.json()).detail;
    } catch {
      message.textContent = `${whyAway()} ${t("You can change keys when the connection is back.")}`;
    }
  }

  form.addEventListener("keydown", (event) => {
    if (!event.target.matches(".input") || PASSING.has(event.key)) return;
    event.preventDefault();
    event.target.value = combination(event);
  }, { signal });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    choose(Object.fromEntries(new FormData(form)));
  }, { signal });
  form.querySelector('[data-act="usual-keys"]').addEventListener("click", () => choose({}), { signal });
}
