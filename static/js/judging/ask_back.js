// Used by the rating page.
// Undo and redo of what is on another page: nobody sees it change, so it is asked about first. Enter and Esc answer.

export function openAskBack(ratingState, steps, { signal }) {
  const note = ratingState.ref("ask-back");
  // Owners' preview undoes nothing.
  if (!note) return (_, act) => act();
  const [yes, no] = ["take-back", "leave-back"].map((act) => note.querySelector(`[data-act="${act}"]`));
  let asked = null;

  // Back to where the key was pressed.
  function close() {
    const { focused, y } = asked;
    asked = null;
    note.hidden = true;
    if (focused.isConnected) focused.focus({ preventScroll: true });
    scrollTo(0, y);
  }

  // Something else may have been done meanwhile, here or by a star that arrow keys have reached.
  const isLast = () => steps.elsewhere(asked.from)?.step === asked.step;

  function confirm() {
    const [isMeant, { act }] = [isLast(), asked];
    close();
    if (isMeant) act();
  }

  yes.addEventListener("click", confirm, { signal });
  no.addEventListener("click", close, { signal });
  ratingState.onChange(() => { if (asked && !isLast()) close(); });
  document.addEventListener("keydown", (event) => {
    if (!asked || event.key !== "Escape" || event.defaultPrevented || !(note.contains(event.target) || event.target === document.body)) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  }, { signal, capture: true });

  // `from` is "undo" or "redo"; `act` does it, at once or after the answer.
  return (from, act) => {
    const step = steps.elsewhere(from);
    if (!step) {
      if (asked) close();
      return act();
    }
    asked = { from, act, step: step.step, focused: asked?.focused ?? document.activeElement, y: asked?.y ?? scrollY };
    ratingState.ref("ask-back-what").textContent = step.question;
    yes.textContent = step.word;
    note.hidden = false;
    yes.focus();
    return undefined;
  };
}
