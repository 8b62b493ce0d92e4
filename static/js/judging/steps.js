// Used by the rating page.
// Undo and redo, across answers and questions, and the one step that concerns several answers at once.
// Nothing is taken out of the ledger: each of them is sent as new ratings.
import { at, newId } from "../lib/http.js";
import { UNRATED, isSettled, same, words } from "./card.js";
import { batchUrl } from "./rating_state.js";
import { sayKept, sayReport } from "./remarked.js";
import { t, tn } from "../lib/words.js";

// An answer of another page by its title: its letter would be taken for that of an answer on this one.
export const nameOf = ({ letter, title }, isHere) => (isHere || !title ? t("answer %(letter)s", { letter }) : t("“%(title)s”", { title }));

// Which other page that is: a part of the question at hand (`here`), or of another one.
export function placeOf({ project, query }, here) {
  if (project !== here.project || query !== here.query) return t("question “%(query)s”", { query });
  return t("another part of this question");
}

// `unrated` are the words for an answer without a grade or a reason.
export function openSteps(ratingState, { past, clock, say, today, remarked, unrated = words(UNRATED) }) {
  const lowest = Number(ratingState.root.dataset.lowest);
  const isHere = (step) => step.batch === ratingState.batch && step.project === ratingState.project;
  const cardOf = (step, answer) => (isHere(step) ? ratingState.byAnswer.get(answer) : undefined);
  const baseOf = (step, answer) => cardOf(step, answer)?.last ?? past.lastOf(step.batch, answer);
  // Whether an answer still says what a step left, and was not changed in another tab since.
  function isAs(step, part, which) {
    const now = cardOf(step, part.answer)?.state ?? past.stateOf(step.batch, part.answer);
    return !now || same(now, part[which]);
  }
  const isOver = (step, from) => step.none === undefined && !step.remark && step.parts.some((part) => !isAs(step, part, from === "undo" ? "after" : "before"));

  function apply(step, which) {
    const from = which === "before" ? "after" : "before";
    for (const part of step.parts) {
      ratingState.write(part, part[which], { input: step.input, base: baseOf(step, part.answer), from: step });
      if (!cardOf(step, part.answer)) today.add(isSettled(part[which]) - isSettled(part[from]));
    }
  }

  const said = (state) => (isSettled(state) ? words(state) : unrated);
  const starsOf = (grade) => words({ grade, reason: null });
  const tellGiven = (n, rest) => say(rest
    ? tn(n, "%(n)s unrated answer got %(stars)s", "%(n)s unrated answers got %(stars)s", { stars: starsOf(lowest) })
    : tn(n, "No good answer: %(n)s unrated answer got %(stars)s", "No good answer: %(n)s unrated answers got %(stars)s", { stars: starsOf(lowest) }));
  // How many answers the last "no good answer" was said to hold for, until the server has stored it.
  let told = null;

  // Ratings of these answers that came after the step: where all of them are undone, they stand in its place.
  const since = (step, parts) => parts.map(({ answer }) => past.lastOf(step.batch, answer)).filter((id) => id && !id.startsWith("step:"));

  // A page that was written after the step says that nothing of the question is left: undone, it goes on as before.
  function keepWayOn(step, undo) {
    const { dataset } = ratingState.root;
    step.goesOn ??= dataset.goesOn;
    if (undo) dataset.goesOn = step.goesOn;
    dataset.given = undo ? "off" : "on";
  }

  // "No good answer" is one message; its rows' ids come back with the reply.
  function markNone(step, undo) {
    const id = newId();
    const parts = step.parts.filter((part) => isAs(step, part, undo ? "after" : "before"));
    // What is undone again is no news any more.
    if (undo) told = null;
    ratingState.put({
      kind: "step",
      counts: true,
      url: `${batchUrl(step.project, step.batch)}/no-good-answer`,
      project: step.project,
      batch: step.batch,
      query: step.query,
      rest: step.rest,
      answers: parts.map((part) => part.answer),
      grade: undo ? null : lowest,
      body: { id, at: new Date().toISOString(), input: step.input, active_ms: clock.take(), ...ratingState.shown(step.project), ...(undo ? { undo, also: since(step, parts) } : {}) },
    });
    const state = undo ? UNRATED : { grade: lowest, reason: null };
    for (const part of parts) {
      past.setLast(step.batch, part.answer, `step:${id}`, state);
      const card = cardOf(step, part.answer);
      if (!card) continue;
      card.last = `step:${id}`;
      card.show(state);
    }
    if (isHere(step)) keepWayOn(step, undo);
    else today.add(undo ? -parts.length : parts.length);
    past.change();
    ratingState.tally();
    return id;
  }

  // "Can't judge this question": `reason`, or null to take it back.
  function pass(step, reason) {
    const { project, batch, query } = step;
    ratingState.put({ kind: "declined", project, batch, query, url: `${batchUrl(project, batch)}/declined`, body: { reason } });
    if (ratingState.asks(step)) ratingState.mark(reason !== null);
    past.leaveWord(reason && t("You marked the question “%(query)s” “can’t judge”. Undo takes that back", { query: step.query }), query);
  }

  // A report or a note says again what it said. Where somebody else has written a note meanwhile, both texts stay.
  function remark({ project, batch, query, remark: kind, url, parts: [part] }, which) {
    const { answer, letter, [which]: says } = part;
    const body = kind === "note" ? { text: says, base: part[which === "before" ? "after" : "before"] } : { flagged: says };
    ratingState.put({ kind, project, batch, query, answer, letter, url, body });
    if (isHere({ project, batch })) remarked.show({ kind, answer, url, body });
  }

  function whatIsSaid({ remark: kind, parts: [part] }, says) {
    const { letter } = part;
    if (kind !== "note") return sayReport(says, letter);
    return says.trim() ? t("The note on answer %(letter)s is now “%(text)s”", { letter, text: says.trim() }) : t("Answer %(letter)s has no note any more", { letter });
  }

  const pageOf = (step) => step.page ?? at(`/p/${step.project}/rate/${step.batch}`);

  function what(step, back) {
    if (step.declined) return t("“can’t judge”");
    if (step.none !== undefined) return t("“no good answer”");
    const [part] = step.parts;
    return t("%(answer)s is %(rating)s", { answer: nameOf(part, isHere(step)), rating: said(back ? part.before : part.after) });
  }

  function messageOf(step, back) {
    if (step.remark) return whatIsSaid(step, step.parts[0][back ? "before" : "after"]);
    const values = { what: what(step, back) };
    if (step.declined || step.none !== undefined) return back ? t("Undone: %(what)s", values) : t("Redone: %(what)s", values);
    return back ? t("Undone. Now %(what)s", values) : t("Redone. Now %(what)s", values);
  }

  function tell(step, back) {
    const here = isHere(step);
    if (step.declined && back) {
      const open = { text: t("Open it"), href: pageOf(step) };
      return say(here ? t("This question is yours again") : t("Question “%(query)s” is yours again.", { query: step.query }), here ? null : open);
    }
    if (step.none !== undefined && here) return say(back ? t("Undone: those answers are unrated again") : t("Redone: those answers have the lowest grade again"));
    const answer = step.parts[0]?.answer ? `#answer-${step.parts[0].answer}` : "";
    const where = here ? null : { text: t("go there"), href: `${pageOf(step)}${answer}` };
    if (step.rest) {
      const values = { stars: starsOf(lowest), query: step.query };
      return say(back ? t("Undone: the rest of “%(query)s” is unrated again.", values) : t("Redone: the rest of “%(query)s” has %(stars)s again.", values), where);
    }
    const withPlace = (text) => (here || !text ? text : `${text} (${placeOf(step, ratingState)})`);
    const isReport = step.remark?.startsWith("flag");
    const kept = isReport ? sayKept(step.parts[0][back ? "before" : "after"], step.parts[0].letter) : "";
    say(withPlace(messageOf(step, back)), where, "good", false, withPlace(kept));
  }

  return {
    // The next step back or forth, if it is not on this page; else nothing.
    elsewhere(from) {
      for (const card of ratingState.cards) card.settle();
      const step = past.peek(from);
      return step && !isHere(step) && !isOver(step, from) ? step : null;
    },

    // `elsewhere`: the answers in other parts of the question that it holds for, null where that is not known.
    // `rest`: whether the button said "Give the rest 0 stars".
    noGoodAnswer(input, elsewhere, rest) {
      const left = ratingState.left();
      const parts = left.map((card) => ({ answer: card.answer, letter: card.letter, before: card.state, after: { grade: lowest, reason: null } }));
      const step = { ...ratingState.at, input, rest, parts };
      past.push(step);
      step.none = markNone(step, null);
      past.change();
      if (elsewhere === null) say(t("All unrated answers of this question get %(stars)s", { stars: starsOf(lowest) }));
      else tellGiven(parts.length + elsewhere, rest);
      told = { id: step.none, rest, count: elsewhere === null ? null : parts.length + elsewhere };
    },

    // The server has stored a step: it knows how many answers that were, and is believed.
    stored({ kind, grade, body }, { ratings }) {
      if (kind !== "step" || grade === null || body.id !== told?.id) return;
      const count = Object.keys(ratings ?? {}).length;
      if (count && count !== told.count) tellGiven(count, told.rest);
      told = null;
    },

    decline(reason, input) {
      const step = { ...ratingState.at, input, declined: reason, parts: [] };
      pass(step, reason);
      past.push(step);
    },

    // What undo would take back as well is taken back already.
    takeBack() {
      past.drop((step) => step.declined && ratingState.asks(step));
      const step = { ...ratingState.at, declined: true };
      pass(step, null);
      tell(step, true);
    },

    // Takes one step back ("undo") or forth ("redo") and returns the card that changed, if it is on this page.
    move(from) {
      const back = from === "undo";
      // A star that arrow keys have reached is the newest step, however short a time ago that was.
      for (const card of ratingState.cards) card.settle();
      const step = past.peek(from);
      if (!step) {
        say(back ? t("Nothing to undo") : t("Nothing to redo"), null, "none");
        return null;
      }
      if (isOver(step, from)) {
        past.drop((one) => one === step);
        const values = { answer: nameOf(step.parts[0], isHere(step)) };
        say(back ? t("Nothing undone: %(answer)s has been rated again since", values) : t("Nothing redone: %(answer)s has been rated again since", values), null, "none");
        return null;
      }
      past.take(from, back ? "redo" : "undo");
      if (step.declined) pass(step, back ? null : step.declined);
      else if (step.remark) remark(step, back ? "before" : "after");
      else if (step.none === undefined) apply(step, back ? "before" : "after");
      else if (back) markNone(step, step.none);
      else step.none = markNone(step, null);
      past.change();
      tell(step, back);
      return cardOf(step, step.parts[0]?.answer) ?? null;
    },
  };
}
