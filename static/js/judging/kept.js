// Used by the rating page.
// Questions on this device: the one at hand and the next two, so that a page that was closed or reloaded opens
// again while the network is away. js/offline.js serves them; signing out takes them off the device.
const KEPT = "touchstone.questions";
// Browsers offer this on https and on this machine only; elsewhere the page works as long as it stays open.
const isOffered = () => "serviceWorker" in navigator && "caches" in window;

export async function openKept(root) {
  const { project, batch, offline } = root.dataset;
  const address = (number) => `/p/${project}/rate/${number}`;
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
    },
    // The other questions that are here, by batch number.
    async pages() {
      const found = new Map();
      for (const number of await numbers()) {
        if (number !== Number(batch)) found.set(number, await (await cache.match(address(number), { ignoreVary: true })).text());
      }
      return found;
    },
  };
}
