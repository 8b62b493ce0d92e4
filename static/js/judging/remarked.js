// Used by the rating page.
// Notes and flags that a page does not show by itself: those that wait on this device, and those that the server
// has taken since it wrote the page, which may have been on its way, or kept for going on offline. Signing out
// takes the latter off the device.
import { t } from "../lib/words.js";

const PREFIX = "touchstone.remarked.";
const KINDS = new Set(["note", "flag", "flag-question"]);

export function nameNote(card, text) {
  card.find('[data-ref="noted"]').textContent = text.trim() ? t("Noted") : t("Note");
}

export function openRemarked(desk, { person, project, batch, kept, at }) {
  const nameOf = (item) => `${PREFIX}${person}.${item.project}.${item.batch}`;
  const here = nameOf({ project, batch });
  const load = (name) => {
    try {
      return JSON.parse(localStorage.getItem(name)) ?? [];
    } catch {
      return [];
    }
  };

  function show({ kind, answer, url, body }) {
    const card = desk.byAnswer.get(answer);
    const press = (button) => button?.setAttribute("aria-pressed", String(body.flagged));
    if (kind === "flag-question" && url === `${desk.url}/flag`) press(desk.root.querySelector('[data-act="flag-question"]'));
    if (kind === "flag" && card) press(card.find('[data-act="flag"]'));
    if (kind !== "note" || !card) return;
    const field = card.find(".remark textarea");
    field.defaultValue = body.text;
    field.value = body.text;
    // What is typed next goes on from there.
    field.setSelectionRange(body.text.length, body.text.length);
    nameNote(card, body.text);
  }

  return {
    // The server has taken one, at a time by its own clock; of the batches that were left before, nothing stays.
    note(item, taken) {
      const { kind, answer, url, body } = item;
      if (!KINDS.has(kind)) return;
      const name = nameOf(item);
      const others = load(name).filter((one) => one.kind !== kind || one.answer !== answer);
      try {
        for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX) && key !== name && key !== here) localStorage.removeItem(key);
        localStorage.setItem(name, JSON.stringify([...others, { kind, answer, url, body, at: taken.at }]));
      } catch {
        // No room: the server knows.
      }
    },

    // A page knows all that the server had taken when it was asked for.
    restore(outbox) {
      for (const one of load(here)) if (kept === "on" || one.at > at) show(one);
      outbox.all().forEach(show);
    },
  };
}
