// Used by the rating page.
// The next two questions, fetched before they are needed: going on is instant, and possible offline.
import { at, load, send } from "../lib/http.js";
import { bringGuidelines } from "./beside.js";
import { bringPreferences } from "./preferences.js";

// Held from question to question in this tab, in the order to rate in, which is not that of their numbers; and on
// this device, by kept.js. Of the questions left in this tab the server may not know it yet.
const [pages, left] = [new Map(), new Set()];
// The one of them after which nothing is left, as the server said last.
let end = null;
// So soon after the first rating, or where somebody only reads as yet; and after a look that came to nothing.
const [LATER, IDLE, PAUSE, LONGEST_PAUSE] = [300, 2000, 2000, 60_000];
// So long after the last change the copy of the question at hand is written again.
const SETTLED = 500;

export function openPrefetch(ratingState, { signal, person, hearWording }) {
  const { dataset } = ratingState.root;
  const { project, batch, kept: isKept } = dataset;
  const here = Number(batch);
  const address = (number) => at(`/p/${project}/rate/${number}`);
  let kept = null;
  // All answers of this question have the lowest grade, or it is for others: nobody goes on to another part of it.
  const isGiven = () => dataset.given === "on" || ratingState.isMarked();
  let changed = () => {};
  for (const held of [pages, left]) held.delete(here);

  const mainOf = (page) => new DOMParser().parseFromString(page, "text/html").querySelector("main[data-batch]");
  // Whether a page is another part of this question: of one with more answers than a page holds.
  const asks = (page) => mainOf(page)?.dataset.query === ratingState.query;

  // Returns whether it came.
  async function fetchPage(number) {
    const reply = await fetch(`${address(number)}?ahead=1`, { credentials: "same-origin", cache: "no-store" });
    if (!reply.ok || reply.redirected) return false;
    const page = await reply.clone().text();
    // The server has not heard of that yet: it is asked again, for whether anything else is left.
    if (isGiven() && asks(page)) return false;
    await kept.store(number, reply);
    // All of it was given the lowest grade again while this part was being kept.
    if (isGiven() && asks(page)) {
      await kept.only([here, ...pages.keys()]);
      return false;
    }
    // This question was left meanwhile: the one that came may be on the screen.
    if (number !== here && !signal.aborted) {
      pages.set(number, page);
      changed();
    }
    return true;
  }

  async function open() {
    // What sign_off.js needs where no next question is here comes along, and what undo on the next one needs.
    const [{ openKept }] = await Promise.all(["kept", "waiting", "ask_back"].map(load));
    kept ??= await openKept(ratingState.root);
    return kept;
  }

  // Returns whether all that there is was fetched.
  async function look() {
    await open();
    const headers = { "Content-Type": "application/json", "X-Touchstone-Person": person };
    const reply = await send(at(`/api/v1/projects/${project}/batches`), { method: "POST", headers, body: JSON.stringify({ after: here }) });
    if (!reply.ok) return false;
    const { batches: coming, is_last: isEnd, wording } = await reply.json();
    hearWording(wording);
    const batches = coming.filter((number) => !left.has(number));
    end = isEnd ? batches.at(-1) : null;
    dataset.last = isEnd && !batches.length ? "on" : "off";
    if (signal.aborted) return true;
    // What comes before them is fetched before them.
    const inOrder = batches.filter((_, at) => batches.slice(0, at + 1).every((number) => pages.has(number)));
    for (const number of [...pages.keys()]) if (!inOrder.includes(number)) pages.delete(number);
    changed();
    await kept.only([here, ...batches]);
    let came = !(await kept.lacks(here)) || await fetchPage(here);
    for (const number of batches) if (came && !pages.has(number) && !signal.aborted) came = await fetchPage(number);
    return came;
  }

  let [timer, failures, isBegun] = [0, 0, false];
  // Whoever only looks at a page that is finished or given up takes no question from others.
  let isAtWork = dataset.open === "on";
  signal.addEventListener("abort", () => clearTimeout(timer));

  function plan(wait) {
    clearTimeout(timer);
    if (!signal.aborted) timer = setTimeout(run, wait);
  }

  async function run() {
    isBegun = true;
    // What is here stays here while the network is away.
    if (await look().catch(() => false)) failures = 0;
    else plan(Math.min(LONGEST_PAUSE, PAUSE * 2 ** failures++) * (0.75 + Math.random() / 2));
  }

  // A page that nobody looks at takes no question from others.
  setTimeout(() => { if (isAtWork && !isBegun && !document.hidden) plan(0); }, IDLE);
  addEventListener("online", () => { if (failures) plan(LATER); }, { signal });

  // This page was opened from the device: so may the questions beside it be.
  async function resume() {
    await open();
    for (const [number, page] of await kept.pages()) pages.set(number, page);
    changed();
  }

  // Every part of this question is settled: those that are here are let go, and others looked for.
  async function forget() {
    isBegun = false;
    for (const [number, page] of pages) if (asks(page)) pages.delete(number);
    changed();
    await kept?.only([here, ...pages.keys()]);
  }

  // "No good answer" settles all parts, and its undo brings them back: after the reply they are looked for again.
  const wayOn = () => `${isGiven()} ${dataset.goesOn}`;
  let was = wayOn();
  ratingState.onChange(() => {
    if (wayOn() === was || dataset.split !== "on") return;
    was = wayOn();
    if (isGiven()) return void forget();
    isBegun = false;
    changed();
  });

  // Whoever goes to another page than the next one leaves a copy behind that may be opened offline.
  let updating = 0;
  ratingState.onChange(() => {
    clearTimeout(updating);
    updating = setTimeout(() => { if (!signal.aborted) kept?.update(ratingState).catch(() => {}); }, SETTLED);
  });
  signal.addEventListener("abort", () => clearTimeout(updating));

  const { hasBetter } = ratingState;
  let hadBetter = hasBetter();
  ratingState.onChange(() => { hadBetter ||= hasBetter(); });

  // Other parts of this question may have been fetched before what was rated here last.
  const renew = (page) => (hadBetter && asks(page) ? page.replace(/data-better="\w+/, `data-better="${hasBetter() ? "on" : "off"}`) : page);

  // Left for another page, which may be reloaded while the network is away.
  async function leave(isForLater) {
    left.add(here);
    if (isForLater) end = null;
    await open();
    await kept.leave(ratingState, isForLater);
    await kept.change(renew);
  }

  return {
    resumed: isKept === "on" ? resume() : null,
    // Whoever rates will want the next question at once; `item` is what the server has stored.
    start(item) {
      isAtWork ||= item.counts && item.project === project && item.batch === batch;
      if (!isAtWork || isBegun) return;
      isBegun = true;
      plan(LATER);
    },
    forget,
    // A question that was left may be open again: it is looked for after the next reply.
    again(number) {
      left.delete(number);
      end = null;
      isBegun = false;
    },
    // This question is done with. Offline before anything was kept here, nothing is.
    leave: (isForLater) => leave(isForLater).catch(() => {}),
    has: () => pages.size > 0,
    // Whether the server knew of nothing else for this person: when it wrote the page, or when it was asked last.
    isLast: () => dataset.last === "on" && !pages.size,
    // Hears whenever another page may be the next one.
    onChange(listener) {
      changed = listener;
      changed();
    },
    // Whether the page that comes next asks the same question. If it is not here, the server has said how it goes on.
    asksSame() {
      const [page] = pages.values();
      return page ? asks(page) : dataset.goesOn === "on" && !isGiven();
    },
    // Puts the next question in place of this one.
    show(leave) {
      for (const [each, page] of pages) pages.set(each, renew(page));
      const [number] = pages.keys();
      const fresh = new DOMParser().parseFromString(pages.get(number), "text/html");
      const main = fresh.querySelector("main[data-batch]");
      pages.delete(number);
      if (!main) return false;
      leave();
      document.title = fresh.title;
      history.pushState({}, "", address(number));
      const next = document.importNode(main, true);
      next.dataset.ahead = "on";
      next.dataset.last = number === end ? "on" : "off";
      bringGuidelines(ratingState.root, next, fresh);
      bringPreferences(ratingState.root, next);
      ratingState.root.replaceWith(next);
      scrollTo(0, 0);
      next.dispatchEvent(new CustomEvent("touchstone:replaced", { bubbles: true }));
      return true;
    },
  };
}

// A link inside the page moves nobody to another question.
addEventListener("popstate", () => location.pathname.endsWith(`/${document.querySelector("main").dataset.batch}`) || location.reload());
