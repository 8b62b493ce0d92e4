// Used by the rating page.
// What can be undone and redone in this tab, across answers and questions, with its own words for each step.
const DEEPEST = 200;
const FRESH = 600_000;

export function openUndoStack(person) {
  const name = `touchstone.past.${person}`;
  const load = () => {
    try {
      return JSON.parse(sessionStorage.getItem(name)) ?? { undo: [], redo: [], last: {} };
    } catch {
      return { undo: [], redo: [], last: {} };
    }
  };
  const stacks = load();
  const keep = () => {
    try {
      sessionStorage.setItem(name, JSON.stringify(stacks));
    } catch {
      // Full or refused: undo works until the page is left.
    }
  };

  return {
    // The id of the last own rating of each answer that was rated in this tab, batch by batch: an answer that is
    // asked again is another rating.
    lastOf: (batch, answer) => stacks.last[`${batch}/${answer}`] ?? null,
    // What that rating says.
    stateOf: (batch, answer) => stacks.states?.[`${batch}/${answer}`],
    setLast(batch, answer, id, state) {
      stacks.last[`${batch}/${answer}`] = id;
      stacks.states = { ...stacks.states, [`${batch}/${answer}`]: state };
    },
    // A step is {batch, project, query, input, parts: [{answer, letter, place, of, before, after}]}, and has
    // `none`, the id of the message, where it was "no good answer". One that is a report or a note has `remark`,
    // its kind, and its address; what holds before and after is whether it is reported, or the text.
    push(step) {
      stacks.undo.push(step);
      stacks.undo.splice(0, stacks.undo.length - DEEPEST);
      stacks.redo.length = 0;
      keep();
    },
    // The step that comes next.
    peek: (from) => stacks[from].at(-1),
    take(from, to) {
      const step = stacks[from].pop();
      if (step) stacks[to].push(step);
      keep();
      return step;
    },
    drop(isMeant) {
      for (const name of ["undo", "redo"]) stacks[name] = stacks[name].filter((step) => !isMeant(step));
      keep();
    },
    change: keep,
    // Where each question was left: {answer, y}, the current answer and how far the window was scrolled.
    placeOf: (question) => stacks.places?.[question],
    notePlace(question, placeNow, signal) {
      const note = () => {
        stacks.places = { ...stacks.places, [question]: placeNow() };
        keep();
      };
      signal.addEventListener("abort", note);
      addEventListener("pagehide", note, { signal });
    },
    // What the next question says of the one that was left; it is no news for long.
    leaveWord(text, query) {
      stacks.word = text && { text, query, at: Date.now() };
      keep();
    },
    word(asked) {
      const { text, query, at } = stacks.word ?? {};
      stacks.word = null;
      return query !== asked && Date.now() - at < FRESH ? text : null;
    },
  };
}
