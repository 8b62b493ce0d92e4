// Used by the rating page, where a grade needs a note or there are quick reasons.
// A grade that needs a note waits until the note is there: the panel opens with quick reasons, a digit chooses one, and
// the note goes out before its rating. Whoever closes the panel has not rated.
import { movesOn } from "./preferences.js";
import { words } from "./card.js";
import { t, tn } from "../lib/words.js";

export function connectWhy(ratingState, focus, { signal, preferences, say }) {
  const grades = JSON.parse(ratingState.root.dataset.noted);
  const needs = ({ grade }) => grade !== null && grades.includes(grade);

  function connect(card) {
    const remark = card.find(".remark");
    const note = remark.querySelector("textarea");
    const quick = [...remark.querySelectorAll(".quick button")];

    function stop() {
      card.pending = null;
      card.element.classList.remove("ans--why");
      card.find('[data-ref="why"]').textContent = "";
    }

    card.ask = (state, by) => {
      card.pending = { state, by };
      card.element.classList.add("ans--why");
      const star = card.star(state.grade);
      if (star) star.checked = true;
      const { letter } = card;
      card.find('[data-ref="why"]').textContent = tn(state.grade, "Why %(n)s star for answer %(letter)s? The rating counts once it has a note.", "Why %(n)s stars for answer %(letter)s? The rating counts once it has a note.", { letter });
      remark.open = true;
      (quick[0] ?? note).focus();
      say(t("Not rated yet: choose or write a reason for answer %(letter)s", { letter }), null, "none");
    };

    // The note is there: now the rating may go.
    function finish(goesOn) {
      if (!card.pending || !note.value.trim()) return;
      const { state, by } = card.pending;
      stop();
      card.keep();
      ratingState.commit(card, state, by);
      if (!goesOn) return;
      remark.open = false;
      if (movesOn(preferences, by)) focus.onward();
      else focus.go(card);
    }

    for (const button of quick) {
      button.addEventListener("click", (event) => {
        // A click makes its answer the current one (focus.js), which is the next one by then.
        event.stopPropagation();
        note.value = button.dataset.reason;
        card.keep();
        if (card.pending) finish(true);
        else note.focus();
      }, { signal });
    }
    note.addEventListener("change", () => finish(false), { signal });
    note.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) finish(true);
    }, { signal });
    remark.querySelector("form").addEventListener("submit", () => finish(true), { signal });
    remark.addEventListener("toggle", () => {
      if (remark.open || !card.pending) return;
      stop();
      card.show(card.state);
      say(t("Answer %(letter)s: %(rating)s", { letter: card.letter, rating: words(card.state) }), null, "none");
    }, { signal });

    // Returns whether a rating has to wait.
    card.holds = (state, by) => {
      const waits = card.pending;
      if (!needs(state) || note.value.trim()) {
        if (waits) stop();
        if (needs(state)) card.keep();
        return false;
      }
      if (waits?.state.grade !== state.grade) card.ask(state, by);
      return true;
    };
  }

  ratingState.cards.forEach(connect);
}
