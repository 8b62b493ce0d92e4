// Used by the parts of a page that follow the ledger (dashboard, progress, imports that run):
//   <div data-controller="refresh" data-refresh-url="/p/x/overview/part" data-refresh-seconds="5"
//        data-refresh-etag='"..."'>
// Asks for the part with the ETag it was made with: 304 costs nothing, 200 replaces what is inside.
// Rests while the tab is hidden and asks less and less often while the server does not answer.
import { send } from "../lib/http.js";

const LONGEST = 60_000;
const FAILURES_BEFORE_SLOWING = 1;

// What a person has done to the part: where focus is and which details are open, by id or by order.
function keep(root) {
  const names = [...root.querySelectorAll("details")];
  const active = root.contains(document.activeElement) ? document.activeElement : null;
  return {
    open: names.map((one, index) => [one.id || index, one.open]),
    id: active?.id || null,
    href: active?.getAttribute("href") ?? null,
    scrolled: [...root.querySelectorAll(".scroll-x, .lists")].map((one) => one.scrollLeft),
  };
}

function restore(root, kept) {
  const details = [...root.querySelectorAll("details")];
  for (const [key, open] of kept.open) {
    const one = typeof key === "number" ? details[key] : details.find((other) => other.id === key);
    if (one) one.open = open;
  }
  [...root.querySelectorAll(".scroll-x, .lists")].forEach((one, index) => { one.scrollLeft = kept.scrolled[index] ?? 0; });
  const by = kept.id ? `#${CSS.escape(kept.id)}` : kept.href && `[href="${CSS.escape(kept.href)}"]`;
  if (by) root.querySelector(by)?.focus({ preventScroll: true });
}

export default function connect(root) {
  const { refreshUrl: url, refreshSeconds } = root.dataset;
  const pause = Math.max(1, Number(refreshSeconds) || 5) * 1000;
  let etag = root.dataset.refreshEtag ?? "";
  let failures = 0;
  let timer = 0;

  function replace(html) {
    const kept = keep(root);
    root.innerHTML = html;
    restore(root, kept);
    root.dispatchEvent(new CustomEvent("touchstone:replaced", { bubbles: true }));
  }

  async function ask() {
    const response = await send(url, { headers: etag ? { "If-None-Match": etag } : {}, cache: "no-store" });
    if (response.status === 304) return true;
    // Signed out, or the part is gone: asking again would not help, a new page will say why.
    if (response.redirected || [401, 403, 404, 410].includes(response.status)) return false;
    if (!response.ok) throw new Error(`${response.status}`);
    etag = response.headers.get("ETag") ?? "";
    replace(await response.text());
    return true;
  }

  function later() {
    const slower = 2 ** Math.max(0, failures - FAILURES_BEFORE_SLOWING + 1);
    const wait = Math.min(LONGEST, pause * slower) * (0.9 + Math.random() * 0.2);
    timer = setTimeout(turn, wait);
  }

  async function turn() {
    if (!root.isConnected) return;
    if (document.hidden) return;
    // Nothing is taken away from under the hands of somebody who fills in a form.
    if (!document.activeElement?.closest("form") || !root.contains(document.activeElement)) {
      try {
        const goOn = await ask();
        failures = 0;
        if (!goOn) return;
      } catch {
        failures += 1;
      }
    }
    later();
  }

  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (!document.hidden) turn();
  });
  later();
}
