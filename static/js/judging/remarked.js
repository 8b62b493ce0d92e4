// Used by the rating page.
// Notes and flags that a page does not show by itself: those that wait on this device, and those that the server
// has taken since it wrote the page, which may have been on its way, or kept for going on offline. Signing out
// takes the latter off the device.
import { t } from "../lib/words.js";

const PREFIX = "touchstone.remarked.";
const KINDS = new Set(["note", "flag", "flag-question"]);

// The button says what holds now; pressed again it takes the report back.
export function nameReport(button, flagged) {
  button.setAttribute("aria-pressed", String(flagged));
  const isQuestion = button.dataset.act === "flag-question";
  const words = isQuestion ? [t("Report the question"), t("Question reported")] : [t("Report problem"), t("Reported")];
  button.querySelector('[data-ref="reported"]').textContent = words[Number(flagged)];
  const hint = flagged ? t("Press again to take it back") : "";
  button.querySelector('[data-ref="take-back"]').textContent = hint && ` ${hint}`;
  button.title = hint;
}

// What is said once it was reported, or taken back; without a letter, of the question.
export function sayReport(flagged, letter) {
  if (!letter) return flagged ? t("The question is reported") : t("The question is not reported any more");
  return flagged ? t("Answer %(letter)s is reported", { letter }) : t("Answer %(letter)s is not reported any more", { letter });
}

// The same of one that waits on this device: it has not reached the owners yet.
export function sayKept(flagged, letter) {
  if (!flagged) return "";
  return letter ? t("The report on answer %(letter)s is kept on this device", { letter }) : t("The report on the question is kept on this device");
}

export function nameNote(card, text) {
  card.find('[data-ref="noted"]').textContent = text.trim() ? t("Your note") : t("Note");
}

const joined = (mine, theirs) => (mine.includes(theirs) ? mine : `${theirs}\n${mine}`.trim());

// A note was changed elsewhere meanwhile: both texts stay, one below the other, and are sent as one.
export function joinNote(outbox, item, theirs) {
  const text = joined(item.body.text, theirs);
  outbox.change({ ...item, isTried: false, body: { text, base: theirs } });
  return { item, theirs, text };
}

export function openRemarked(ratingState, { person, project, batch, kept, at }) {
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
    const card = ratingState.byAnswer.get(answer);
    const press = (button) => button && nameReport(button, body.flagged);
    if (kind === "flag-question" && url === `${ratingState.url}/flag`) press(ratingState.root.querySelector('[data-act="flag-question"]'));
    if (kind === "flag" && card) {
      press(card.find('[data-act="flag"]'));
      // What is wrong is asked no more; why a rating was given may be.
      if (!body.flagged && !card.pending) card.find('[data-ref="why"]').textContent = "";
    }
    if (kind !== "note" || !card) return;
    fill(card, body.text, body.text);
  }

  function fill(card, stored, text) {
    const field = card.find(".remark textarea");
    field.defaultValue = stored;
    field.value = text;
    // What is typed next goes on from there.
    field.setSelectionRange(text.length, text.length);
    nameNote(card, text);
  }

  const isTyped = ({ answer }) => {
    const field = ratingState.byAnswer.get(answer)?.find(".remark textarea");
    return field && field.value !== field.defaultValue;
  };

  // Another tab of this device has said something: what is being typed here stays, and is joined with it later.
  function hear(outbox, { key, newValue }) {
    const waiting = outbox.all();
    const isNews = (one) => KINDS.has(one.kind) && !(one.kind === "note" && isTyped(one)) && one.batch === batch;
    const waits = (one) => waiting.some(({ kind, answer }) => kind === one.kind && answer === one.answer);
    if (key === here) load(here).filter((one) => !waits(one) && isNews({ ...one, batch })).forEach(show);
    else if (newValue && key?.startsWith(outbox.prefix)) [JSON.parse(newValue)].filter(isNews).forEach(show);
  }

  return {
    show,
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

    // A page knows all that the server had taken when it was asked for, and hears what other tabs say later.
    follow(outbox, signal) {
      for (const one of load(here)) if (kept === "on" || one.at > at) show(one);
      outbox.all().forEach(show);
      addEventListener("storage", (event) => hear(outbox, event), { signal });
    },

    // Returns what is said of it.
    join({ item: { answer, letter }, theirs, text }) {
      const card = ratingState.byAnswer.get(answer);
      if (card) fill(card, text, isTyped({ answer }) ? joined(card.find(".remark textarea").value, theirs) : text);
      return t("The note on answer %(letter)s was changed elsewhere too. It now holds both texts", { letter: letter ?? "" });
    },
  };
}
