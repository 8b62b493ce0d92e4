// Used by the rating page: fetched with what prefetch.js needs, before anybody is on a second question.
// Undo and redo of what is on another page: nobody sees it change, so it is asked about first. Enter and Esc answer.
import { isSettled, words } from "./card.js";
import { nameOf, placeOf } from "./steps.js";
import { t } from "../lib/words.js";

// Returns what is asked on the page `here` before a step is undone ("back") or done again, and the word of the button.
function asked(step, back, here) {
  const { query, declined, none, rest, remark, parts: [part] } = step;
  const said = remark && (remark === "note" ? t("your last change to the note") : t("the report"));
  // Whoever takes back that a rating was cleared, or a report withdrawn, brings it back.
  const wasCleared = remark ? part.after === false : Boolean(part) && none === undefined && !isSettled(part.after);
  const takes = back !== wasCleared;
  const word = takes ? t("Take back") : t("Bring back");
  // A report that comes back might be read as one that is withdrawn.
  if (!takes && remark?.startsWith("flag")) {
    const values = { query, answer: nameOf(part), place: placeOf(step, here) };
    return [t("Report again"), remark === "flag" ? t("Report %(answer)s again (%(place)s)?", values) : t("Report the question “%(query)s” again?", values)];
  }
  if (rest) {
    // All of the rest may be in other parts.
    const values = { stars: words(part?.after ?? { grade: Number(here.root.dataset.lowest), reason: null }), query };
    return [word, takes
      ? t("Take back the %(stars)s that you gave to the rest of “%(query)s”?", values)
      : t("Bring back the %(stars)s that you gave to the rest of “%(query)s”?", values)];
  }
  if (declined || none !== undefined || remark === "flag-question") {
    const rating = said ? said : declined ? t("“can’t judge”") : t("“no good answer”");
    return [word, takes ? t("Take back %(rating)s for the question “%(query)s”?", { rating, query }) : t("Bring back %(rating)s for the question “%(query)s”?", { rating, query })];
  }
  const values = { rating: said ?? words(wasCleared ? part.before : part.after), answer: nameOf(part), place: placeOf(step, here) };
  // An older rating comes back: to take back the newer one would sound as if none was left.
  if (takes && !said && part.before && isSettled(part.before)) {
    return [t("Change back"), t("Change %(answer)s (%(place)s) back to %(before)s?", { ...values, before: words(part.before) })];
  }
  return [word, takes ? t("Take back %(rating)s for %(answer)s (%(place)s)?", values) : t("Bring back %(rating)s for %(answer)s (%(place)s)?", values)];
}

export function openAskBack(ratingState, steps, { signal }) {
  const note = ratingState.ref("ask-back");
  const [yes, no] = ["take-back", "leave-back"].map((act) => note.querySelector(`[data-act="${act}"]`));
  let open = null;

  // Back to where the key was pressed.
  function close() {
    const { focused, y } = open;
    open = null;
    note.hidden = true;
    if (focused.isConnected) focused.focus({ preventScroll: true });
    scrollTo(0, y);
  }

  // Something else may have been done meanwhile, here or by a star that arrow keys have reached.
  const isLast = () => steps.elsewhere(open.from) === open.step;

  function confirm() {
    const [isMeant, { act }] = [isLast(), open];
    close();
    if (isMeant) act();
  }

  yes.addEventListener("click", confirm, { signal });
  no.addEventListener("click", close, { signal });
  ratingState.onChange(() => { if (open && !isLast()) close(); });
  document.addEventListener("keydown", (event) => {
    if (!open || event.key !== "Escape" || !(note.contains(event.target) || event.target === document.body)) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  }, { signal, capture: true });

  // `from` is "undo" or "redo"; `act` does it.
  return (step, from, act) => {
    open = { step, from, act, focused: open?.focused ?? document.activeElement, y: open?.y ?? scrollY };
    [yes.textContent, ratingState.ref("ask-back-what").textContent] = asked(step, from === "undo", ratingState);
    note.hidden = false;
    yes.focus();
  };
}
