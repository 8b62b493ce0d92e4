// Used by the rating page.
// Questions on this device: the one at hand and the next two, so that a page that was closed or reloaded opens
// again while the network is away; and the last ones that were left, for the way back. js/offline.js serves them;
// signing out takes them off the device.
import { at } from "../lib/http.js";

// Another site on this host, below another path, has its own.
const KEPT = at("touchstone.questions");
// A question that was left opens by its own address only.
const LEFT = "X-Touchstone-Left";
const BEHIND = 5;
// Images of answers: those of the newest questions, and of the last ones that were left.
const IMAGES = 150;
// Browsers offer this on https and on this machine only; elsewhere the page works as long as it stays open.
const isOffered = () => "serviceWorker" in navigator && "caches" in window;

// The answers as they are shown now, in the words of the page itself.
function pictureOf({ root, cards }) {
  const picture = root.cloneNode(true);
  for (const name of ["kept", "ahead", "rated"]) delete picture.dataset[name];
  for (const details of picture.querySelectorAll(".ans__acts details, .cant-all")) details.open = false;
  for (const name of ["ask-later", "ask-sure", "ask-back", "clash"]) picture.querySelector(`[data-ref="${name}"]`).hidden = true;
  for (const { element, answer, last, state } of cards) {
    const copy = picture.querySelector(`[data-answer="${answer}"]`);
    Object.assign(copy.dataset, { base: last ?? "", grade: state.grade ?? "", reason: state.reason ?? "" });
    copy.classList.remove("ans--now");
    for (const input of copy.querySelectorAll(".stars input")) input.toggleAttribute("checked", Number(input.value) === state.grade && state.grade !== null);
    copy.querySelector("textarea").textContent = element.querySelector("textarea").value;
  }
  return picture;
}

// What waited for these questions was sent from another page: the copies show it too. One that was left does already.
export async function renew(items) {
  if (!isOffered()) return;
  const cache = await caches.open(KEPT);
  for (const address of new Set(items.map(({ project, batch }) => at(`/p/${project}/rate/${batch}`)))) {
    const copy = await cache.match(address, { ignoreVary: true });
    if (!copy || copy.headers.has(LEFT)) continue;
    const reply = await fetch(`${address}?ahead=1`, { credentials: "same-origin", cache: "no-store" });
    if (reply.ok && !reply.redirected) await cache.put(address, reply);
  }
}

export async function openKept(root) {
  const { project, batch, offline } = root.dataset;
  const address = (number) => at(`/p/${project}/rate/${number}`);
  const cache = isOffered() ? await caches.open(KEPT) : null;
  if (cache) navigator.serviceWorker.register(offline, { scope: at("/") });

  const find = (number) => cache.match(address(number), { ignoreVary: true });

  // The questions that are here, and of each whether it was left.
  async function here() {
    const found = new Map();
    for (const { url } of (await cache?.keys()) ?? []) {
      const { pathname } = new URL(url);
      if (!pathname.startsWith(address(""))) continue;
      const number = Number(pathname.split("/").at(-1));
      found.set(number, (await find(number))?.headers.has(LEFT));
    }
    return found;
  }

  // A question shows its images offline too; one that does not come is missing, and nothing else.
  async function keepImages(page) {
    const sources = [...new DOMParser().parseFromString(page, "text/html").querySelectorAll(".ans__pic")].map((image) => image.getAttribute("src"));
    for (const source of sources) if (!(await cache.match(source))) await cache.add(source).catch(() => {});
    const stored = (await cache.keys()).filter(({ url }) => new URL(url).pathname.startsWith(at(`/p/${project}/images/`)));
    for (const one of stored.slice(0, -IMAGES)) await cache.delete(one);
  }

  // The other questions that wait here, by batch number.
  async function pages() {
    const found = new Map();
    for (const [number, isLeft] of await here()) {
      if (number !== Number(batch) && !isLeft) found.set(number, await (await find(number)).text());
    }
    return found;
  }

  async function rewrite(number, reply, page, more = {}) {
    const headers = new Headers(reply.headers);
    for (const name of ["Content-Encoding", "Content-Length"]) headers.delete(name);
    for (const [name, value] of Object.entries(more)) headers.set(name, value);
    await cache.put(address(number), new Response(page, { headers }));
  }

  // One after the other, also after one that failed: what marks the page as left is written last.
  let drawn = Promise.resolve();
  const redraw = (ratingState, more) => {
    drawn = drawn.catch(() => {}).then(() => draw(ratingState, more));
    return drawn;
  };

  async function draw(ratingState, more = {}) {
    const reply = cache && await find(batch);
    if (!reply) return;
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    page.querySelector("main").replaceWith(page.adoptNode(pictureOf(ratingState)));
    await rewrite(batch, reply, `<!doctype html>${page.documentElement.outerHTML}`, more);
  }

  return {
    lacks: async (number) => Boolean(cache) && (await here()).get(number) !== false,
    async store(number, reply) {
      if (!cache) return;
      const page = await reply.clone().text();
      await cache.put(address(number), reply);
      if (page.includes("ans__pic")) keepImages(page);
    },
    // What lies further behind is taken away.
    async only(wanted) {
      const behind = [...await here()].filter(([number]) => !wanted.includes(number)).sort(([one], [other]) => other - one);
      const stays = behind.filter(([, isLeft]) => isLeft).slice(0, BEHIND);
      for (const one of behind) if (!stays.includes(one)) await cache.delete(address(one[0]));
    },
    pages,
    // The other questions that wait here are what `change` makes of them.
    async change(change) {
      for (const [number, page] of await pages()) {
        const changed = change(page);
        if (changed !== page) await rewrite(number, await find(number), changed);
      }
    },
    // This question is shown as it is now.
    update: (ratingState) => redraw(ratingState),
    // It is done with, or left for later: it does not open again before others do.
    leave: (ratingState, isForLater) => redraw(ratingState, { [LEFT]: isForLater ? "later" : "on" }),
  };
}
