// Used by the rating page.
// The next two questions, fetched before they are needed: going on is instant, and possible offline.
import { csrfToken } from "../lib/http.js";

// Held from question to question in this tab, by batch number; and on this device, by kept.js.
const pages = new Map();
const LATER = 300;

export function openAhead(desk, { signal, person }) {
  const { project, batch, kept: isKept } = desk.root.dataset;
  const here = Number(batch);
  const address = (number) => `/p/${project}/rate/${number}`;
  let kept = null;
  pages.delete(here);

  async function fetchPage(number) {
    const reply = await fetch(`${address(number)}?ahead=1`, { credentials: "same-origin", cache: "no-store" });
    if (!reply.ok || reply.redirected) return;
    await kept.store(number, reply.clone());
    const page = await reply.text();
    // This question was left meanwhile: the one that came may be on the screen.
    if (number !== here && !signal.aborted) pages.set(number, page);
  }

  async function open() {
    const { openKept } = await import("./kept.js");
    kept ??= await openKept(desk.root);
    return kept;
  }

  async function look() {
    try {
      await open();
      const reply = await fetch(`/api/v1/projects/${project}/batches`, {
        method: "POST",
        credentials: "same-origin",
        headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken(), "X-Touchstone-Person": person },
        body: JSON.stringify({ after: here }),
      });
      if (!reply.ok) return;
      const { batches } = await reply.json();
      if (signal.aborted) return;
      for (const number of [...pages.keys()]) if (!batches.includes(number)) pages.delete(number);
      await kept.only([here, ...batches]);
      if (await kept.lacks(here)) await fetchPage(here);
      for (const number of batches) if (!pages.has(number) && !signal.aborted) await fetchPage(number);
    } catch {
      // Offline: what is here stays here, and the next page looks again.
    }
  }

  let timer = 0;
  signal.addEventListener("abort", () => clearTimeout(timer));

  // This page was opened from the device: so may the questions beside it be.
  async function resume() {
    await open();
    for (const [number, page] of await kept.pages()) pages.set(number, page);
  }

  return {
    resumed: isKept === "on" ? resume() : null,
    // Whoever rates will want the next question; whoever only looks holds none of it.
    start() {
      timer ||= setTimeout(look, LATER);
    },
    // This question is done with.
    async leave() {
      try {
        await (await open()).leave(desk);
      } catch {
        // Offline before anything was kept here.
      }
    },
    has: () => pages.size > 0,
    // Puts the next question in place of this one.
    show(leave) {
      const number = Math.min(...pages.keys());
      const fresh = new DOMParser().parseFromString(pages.get(number), "text/html");
      const main = fresh.querySelector("main[data-batch]");
      pages.delete(number);
      if (!main) return false;
      leave();
      document.title = fresh.title;
      history.pushState({}, "", address(number));
      const next = document.importNode(main, true);
      next.dataset.ahead = "on";
      desk.root.replaceWith(next);
      scrollTo(0, 0);
      next.dispatchEvent(new CustomEvent("touchstone:replaced", { bubbles: true }));
      return true;
    },
  };
}

addEventListener("popstate", () => location.reload());
