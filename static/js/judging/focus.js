// Used by the rating page.
// Which answer is the current one: the one with focus. Saving, unfolding and errors never move it.
export function openFocus(desk, { signal }) {
  const { cards, root } = desk;
  let at = -1;
  let moving = 0;
  let soon = null;

  function mark(index) {
    at = index;
    cards.forEach((card, place) => card.element.classList.toggle("ans--now", place === index));
    desk.tally();
  }

  // Room between the two bars: an answer taller than that is entered at its title.
  const room = () => innerHeight - root.querySelector(".ask").offsetHeight - (root.querySelector(".act")?.offsetHeight ?? 0) - 32;

  // The same room, where the window is scrolled to now: from here to there.
  function view() {
    const above = Math.max(0, root.querySelector(".ask").getBoundingClientRect().bottom);
    const below = Math.min(innerHeight, root.querySelector(".act")?.getBoundingClientRect().top ?? innerHeight);
    return above < below ? [above, below] : [0, innerHeight];
  }

  const isTall = (card) => card.element.offsetHeight > room();
  const enter = (card) => (isTall(card) ? card.find("h2") : card.chosen() ?? card.find(".stars input")).focus({ preventScroll: true });

  function stop() {
    clearTimeout(moving);
    soon = null;
  }

  const focus = {
    // Whether somebody who looks at the window looks at this answer: at its stars, or at half of it at least.
    isSeen(card) {
      const [above, below] = view();
      const shown = (element, least) => {
        const { top, bottom } = element.getBoundingClientRect();
        return Math.min(bottom, below) - Math.max(top, above) >= least - 1;
      };
      const stars = card.find(".stars");
      return shown(stars, stars.offsetHeight) || shown(card.element, Math.min(card.element.offsetHeight, below - above) / 2);
    },
    current: () => cards[at] ?? null,
    index: () => at,
    mark,
    stop,
    go(index, block = "nearest") {
      stop();
      mark(Math.min(cards.length - 1, Math.max(0, index)));
      const card = cards[at];
      enter(card);
      card.element.scrollIntoView({ block: isTall(card) ? "start" : block });
    },
    place: () => ({ answer: cards[at]?.answer, y: scrollY }),
    // To where this question was left; the first time to its heading.
    open(place) {
      const card = desk.byAnswer.get(place?.answer);
      if (card) {
        mark(cards.indexOf(card));
        enter(card);
      } else root.querySelector("h1").focus({ preventScroll: true });
      if (place) scrollTo(0, place.y);
    },
    // To an answer that was changed by undo: a key goes there, so that the next digit does; the button keeps focus.
    back(card) {
      const index = cards.indexOf(card);
      if (!document.activeElement?.closest(".act")) return void focus.go(index);
      mark(index);
      card.element.scrollIntoView({ block: "nearest" });
    },
    onward() {
      const left = desk.left();
      if (!left.length) {
        root.querySelector('[data-act="next"]')?.focus();
        return;
      }
      const next = left.find((card) => cards.indexOf(card) > at) ?? left[0];
      focus.go(cards.indexOf(next));
    },
    // After a digit, unless focus has gone somewhere else in the meantime.
    onwardSoon(from) {
      stop();
      soon = () => {
        if (document.activeElement === from) focus.onward();
      };
      moving = setTimeout(soon, 250);
    },
    // What would take the focus soon has it now: whoever takes it next gives it back there.
    hurry: () => soon?.(),
  };

  cards.forEach((card, index) => card.element.addEventListener("focusin", () => {
    if (at !== index) mark(index);
  }, { signal }));
  // On a phone a letter leads to its answer, which is the current one then.
  root.querySelector(".strip").addEventListener("click", (event) => {
    const letter = event.target.closest("[data-strip]");
    if (!letter) return;
    event.preventDefault();
    focus.go(cards.indexOf(desk.byAnswer.get(letter.dataset.strip)), "start");
  }, { signal });
  return focus;
}
