// Used by the rating page.
// What else can be said of an answer: can't judge with a reason, a note, a flag, cleared; and of the question.
import { UNRATED } from "./card.js";
import { movesOn } from "./preferences.js";
import { nameNote, nameReport, sayKept, sayReport } from "./remarked.js";
import { t } from "../lib/words.js";

const TYPING = 800;

export function connectRemarks(ratingState, focus, { signal, input, outbox, past, preferences, say }) {
  const on = (element, name, act) => element?.addEventListener(name, act, { signal });
  const api = (card, what) => `/api/v1/candidates/${card.answer}/${what}`;

  function remember(remark, url, part) {
    const step = { ...ratingState.at, remark, url, parts: [part] };
    past.push(step);
    // What is asked about another step is over.
    ratingState.tally();
    return step;
  }

  function flip(button, kind, url, { answer, letter, title } = {}) {
    const flagged = button.getAttribute("aria-pressed") !== "true";
    nameReport(button, flagged);
    ratingState.put({ kind, answer, letter, url, body: { flagged } });
    remember(kind, url, { answer, letter, title, before: !flagged, after: flagged });
    // A note is open then, where letters are text.
    const back = input() === "key" ? t("To take it back: Esc, then the same key") : t("Press the button again to take it back");
    const words = (text) => (flagged ? `${text}. ${back}` : text);
    say(words(sayReport(flagged, letter)), null, "good", false, words(sayKept(flagged, letter)));
    return flagged;
  }

  function connect(card) {
    const cant = card.find(".cant");
    const remark = card.find(".remark");
    const note = remark.querySelector("textarea");
    const why = card.find('[data-ref="why"]');
    let typing = 0;
    // However often somebody pauses, what they type until they leave the field is one step.
    let step = null;

    card.pass = (button) => {
      cant.open = false;
      const by = input();
      ratingState.commit(card, { grade: null, reason: button.value }, by);
      const { letter } = card;
      say(t("Answer %(letter)s: can’t judge.", { letter }), null, "good", false, t("Answer %(letter)s: can’t judge. Kept on this device", { letter }));
      // What was pressed is folded away.
      if (movesOn(preferences, by)) focus.onward();
      else if (by === "key") focus.go(card);
      else cant.querySelector("summary").focus({ preventScroll: true });
    };
    card.clear = () => {
      card.forget();
      ratingState.commit(card, UNRATED, input());
    };
    card.flag = () => {
      outbox.removeLike("flag", card.answer);
      const flagged = flip(card.find('[data-act="flag"]'), "flag", api(card, "flag"), card);
      // The note of a rating that waits for one is asked for already.
      if (card.pending) return;
      remark.open = flagged;
      if (!flagged) return;
      why.textContent = note.value.trim() ? t("Add what is wrong to your note.") : t("What is wrong? (optional)");
      note.focus();
    };
    card.toggle = (details) => {
      details.open = !details.open;
      if (details.open) details.querySelector("textarea, button").focus();
    };
    // Whoever opens a note by mouse types next, too: outside of the field, letters are keys.
    on(remark.querySelector("summary"), "click", (event) => {
      event.preventDefault();
      card.toggle(remark);
      if (remark.open) note.focus();
    });
    on(remark, "toggle", () => {
      if (!remark.open) why.textContent = "";
    });
    card.closePanels = () => {
      for (const details of [cant, remark]) details.open = false;
    };

    const keep = () => {
      clearTimeout(typing);
      if (note.value === note.defaultValue) return;
      // One that has not left yet makes room for this; else this one says which text it replaces.
      const waits = outbox.all().findLast((one) => one.kind === "note" && one.answer === card.answer);
      const goesOn = waits && !waits.isTried && waits.body.text === note.defaultValue;
      const base = goesOn ? waits.body.base : note.defaultValue;
      if (step && step === past.peek("undo")) {
        step.parts[0].after = note.value;
        past.change();
      } else step = remember("note", api(card, "note"), { answer: card.answer, letter: card.letter, title: card.title, before: note.defaultValue, after: note.value });
      note.defaultValue = note.value;
      nameNote(card, note.value);
      // It keeps its place: a rating behind it may need a note.
      if (goesOn) return void outbox.change({ ...waits, body: { text: note.value, base } });
      ratingState.put({ kind: "note", answer: card.answer, letter: card.letter, url: api(card, "note"), body: { text: note.value, base } });
    };
    card.keep = keep;
    on(note, "blur", () => { step = null; });
    on(note, "input", () => {
      clearTimeout(typing);
      typing = setTimeout(keep, TYPING);
    });
    on(note, "change", keep);
    addEventListener("pagehide", keep, { signal });
    on(remark.querySelector("form"), "submit", (event) => {
      event.preventDefault();
      keep();
    });
    on(cant.querySelector("form"), "submit", (event) => {
      event.preventDefault();
      card.pass(event.submitter);
    });
    for (const button of card.element.querySelectorAll("[data-act]")) {
      on(button.form, "submit", (event) => {
        event.preventDefault();
        card[button.dataset.act]();
        if (button.dataset.act === "clear") focus.go(card);
      });
    }
  }

  ratingState.cards.forEach(connect);
  // What was opened is to be read: it does not open under the bar.
  ratingState.root.addEventListener("toggle", ({ target }) => {
    if (target.open && target.matches(".ans__acts details, .cant-all")) target.scrollIntoView({ block: "nearest" });
  }, { signal, capture: true });
  const question = ratingState.root.querySelector('[data-act="flag-question"]');
  on(question?.form, "submit", (event) => {
    event.preventDefault();
    flip(question, "flag-question", `${ratingState.url}/flag`);
  });
}
