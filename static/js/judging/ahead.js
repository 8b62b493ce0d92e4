// Used by the rating page.
// The next two questions, fetched before they are needed: going on is instant, and possible offline.
import { csrfToken } from "../lib/http.js";

// Kept from question to question in this tab, by batch number.
const pages = new Map();
const LATER = 300;

export function openAhead(desk, { signal, person }) {
  const { project, batch } = desk.root.dataset;
  const address = (number) => `/p/${project}/rate/${number}`;
  pages.delete(Number(batch));

  async function fetchPage(number) {
    const reply = await fetch(`${address(number)}?ahead=1`, { credentials: "same-origin", cache: "no-store" });
    if (reply.ok && !reply.redirected) pages.set(number, await reply.text());
  }

  async function look() {
    try {
      const reply = await fetch(`/api/v1/projects/${project}/batches`, {
        method: "POST",
        credentials: "same-origin",
        headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken(), "X-Touchstone-Person": person },
        body: JSON.stringify({ after: Number(batch) }),
      });
      if (!reply.ok) return;
      const { batches } = await reply.json();
      for (const number of [...pages.keys()]) if (!batches.includes(number)) pages.delete(number);
      for (const number of batches) if (!pages.has(number)) await fetchPage(number);
    } catch {
      // Offline: what is here stays here, and the next page looks again.
    }
  }

  let timer = 0;
  signal.addEventListener("abort", () => clearTimeout(timer));

  return {
    // Whoever rates will want the next question; whoever only looks holds none of it.
    start() {
      timer ||= setTimeout(look, LATER);
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
      const here = document.importNode(main, true);
      here.dataset.ahead = "on";
      desk.root.replaceWith(here);
      scrollTo(0, 0);
      here.dispatchEvent(new CustomEvent("touchstone:replaced", { bubbles: true }));
      return true;
    },
  };
}

addEventListener("popstate", () => location.reload());
