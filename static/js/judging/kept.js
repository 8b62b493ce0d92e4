// Used by the rating page.
// Questions on this device: the one at hand and the next two, so that a page that was closed or reloaded opens
// again while the network is away. js/offline.js serves them; signing out takes them off the device.
const KEPT = "touchstone.questions";
const PREFIX = "touchstone.kept.";
// Browsers offer this on https and on this machine only; elsewhere the page works as long as it stays open.
const isOffered = () => "serviceWorker" in navigator && "caches" in window;

export async function openKept(root) {
  const { person, project, batch, offline } = root.dataset;
  const address = (number) => `/p/${project}/rate/${number}`;
  const name = `${PREFIX}${person}.${project}.${batch}`;
  const cache = isOffered() ? await caches.open(KEPT) : null;
  if (cache) navigator.serviceWorker.register(offline, { scope: "/" });

  async function numbers() {
    const paths = (await cache?.keys() ?? []).map((request) => new URL(request.url).pathname);
    return paths.filter((path) => path.startsWith(address(""))).map((path) => Number(path.split("/").at(-1)));
  }

  return {
    lacks: async (number) => Boolean(cache) && !(await numbers()).includes(number),
    store: (number, reply) => cache?.put(address(number), reply),
    drop: (number) => cache?.delete(address(number)),
    // What lies behind is taken away.
    async only(wanted) {
      for (const number of await numbers()) if (!wanted.includes(number)) await cache.delete(address(number));
      for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX) && key !== name) localStorage.removeItem(key);
    },
    // The other questions that are here, by batch number.
    async pages() {
      const found = new Map();
      for (const number of await numbers()) {
        if (number !== Number(batch)) found.set(number, await (await cache.match(address(number), { ignoreVary: true })).text());
      }
      return found;
    },
    // A page that is kept is older than what was saved since: that is noted beside it.
    note(cards) {
      try {
        localStorage.setItem(name, JSON.stringify(cards.map(({ answer, stored }) => [answer, stored])));
      } catch {
        // No room: the server knows, and asks where this page would overwrite something.
      }
    },
    noted: () => JSON.parse(localStorage.getItem(name) ?? "[]"),
  };
}
