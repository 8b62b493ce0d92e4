// Used by the rating page.
// An answer was rated in another tab or on another device meanwhile: the person decides which rating stays. All
// tabs of this device send from one outbox and may all ask; what is decided in one of them is told to the others.
import { UNRATED, same, stateOf, steadily, words } from "./card.js";
import { t } from "../lib/words.js";

export function connectClash(ratingState, { outbox, signal, release }) {
  const note = ratingState.ref("clash");
  const waiting = new Map();
  // Ratings of another tab of this device, which wait in the same outbox.
  const ofOtherTabs = new Set();
  if (!note) return { add() {}, open() {} };
  const [keep, adopt] = ["keep", "adopt"].map((act) => note.querySelector(`[data-act="${act}"]`));
  const tabs = "BroadcastChannel" in window ? new BroadcastChannel(outbox.prefix) : null;

  const mineOf = (answer) => outbox.all().filter((item) => item.answer === answer && item.kind === "judgment");

  function forget(answer) {
    for (const item of mineOf(answer)) outbox.remove(item.key);
    waiting.delete(answer);
  }

  function settled(answer, last, id, state) {
    tabs?.postMessage({ project: ratingState.project, batch: last.batch, answer, id, state });
    release(answer);
    show();
  }

  function take(answer, current) {
    const last = mineOf(answer).at(-1);
    // Decided elsewhere, and nothing was heard of it: the server knows how.
    if (!last) return void location.reload();
    const [id, state] = [current?.id ?? null, current ? stateOf(current) : UNRATED];
    forget(answer);
    ratingState.settle(answer, id, state);
    settled(answer, last.body, id, state);
  }

  function insist(answer, current) {
    const last = mineOf(answer).at(-1);
    if (!last) return void location.reload();
    forget(answer);
    // Other tabs that show the rating which gives way learn of this one.
    ratingState.cardOf(answer, last.body.batch)?.behind.add(current?.id ?? null);
    const { place, of, input } = last.body;
    const id = ratingState.write({ answer, place, of }, stateOf(last.body), { input, base: current?.id ?? null, from: last });
    settled(answer, last.body, id, stateOf(last.body));
  }

  tabs?.addEventListener("message", ({ data: { project, batch, answer, id, state } }) => {
    if (project !== ratingState.project) return;
    waiting.delete(answer);
    if (ratingState.cardOf(answer, batch)) ratingState.settle(answer, id, state);
    release(answer);
    show();
  }, { signal });

  // What is not saved yet, where it was given, and what is saved.
  function both({ answer, body }, values) {
    if (ofOtherTabs.has(body.id)) return t("Saved: %(theirs)s. In another tab, not saved yet: %(mine)s.", values);
    if (ratingState.cardOf(answer, body.batch)) return t("On this page: %(mine)s. Already saved: %(theirs)s.", values);
    return t("On this device: %(mine)s. Already saved: %(theirs)s.", values);
  }

  const show = () => steadily(ratingState.root, ask);

  function ask() {
    const [first] = waiting;
    note.hidden = !first;
    if (!first) return;
    const [answer, { item, current }] = first;
    const last = mineOf(answer).at(-1) ?? item;
    const [state, saved] = [stateOf(last.body), current ? stateOf(current) : UNRATED];
    // The same star was chosen since.
    if (same(state, saved)) return take(answer, current);
    const [mine, theirs] = [words(state), words(saved)];
    // It may have been given on a question that was left.
    const letter = item.letter ?? "";
    const isHere = !item.query || Number(item.body.batch) === Number(ratingState.batch) && item.project === ratingState.project;
    ratingState.ref("clash-title").textContent = isHere
      ? t("You gave answer %(letter)s two different ratings", { letter })
      : t("You gave answer %(letter)s to “%(query)s” two different ratings", { letter, query: item.query });
    ratingState.ref("clash-text").textContent = `${both(last, { mine, theirs })} ${t("Which rating do you want to keep?")}`;
    keep.textContent = t("Keep: %(rating)s", { rating: mine });
    adopt.textContent = t("Keep: %(rating)s", { rating: theirs });
    keep.onclick = () => insist(answer, current);
    adopt.onclick = () => take(answer, current);
  }

  // Another star that is chosen meanwhile is the one that is asked about.
  ratingState.onChange(() => { if (waiting.size) show(); });
  signal.addEventListener("abort", () => {
    waiting.clear();
    tabs?.close();
  });
  return {
    add({ item, current }) {
      const last = mineOf(item.answer).at(-1) ?? item;
      const mine = stateOf(last.body);
      // Both say the same: there is nothing to decide.
      if (same(mine, current ? stateOf(current) : UNRATED)) return take(item.answer, current);
      // It may be another tab's that waits here: the stars show what is asked about.
      const card = ratingState.cardOf(item.answer, last.body.batch);
      if (card && card.last !== last.body.id) ofOtherTabs.add(last.body.id);
      if (card) Object.assign(card, { last: last.body.id }).show(mine);
      waiting.set(item.answer, { item, current });
      return show();
    },
    // Leads to the question, wherever the page has been scrolled to.
    open() {
      note.scrollIntoView({ block: "center" });
      note.focus({ preventScroll: true });
    },
  };
}
