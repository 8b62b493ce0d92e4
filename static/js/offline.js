// Used as a service worker, registered by js/judging/kept.js: opens a question that is kept on this device while
// the network is away, with its images. It keeps no script and no style (the browser does, for a year) and answers
// nothing else.
// The path of this site on its host: empty, or that of PUBLIC_URL.
const ROOT = new URL(registration.scope).pathname.slice(0, -1);
const KEPT = `${ROOT}touchstone.questions`;
const IMAGE = /^\/p\/[^/]+\/images\//;
const QUESTION = /^\/p\/[^/]+\/rate(\/\d+)?$/;
// From here people go on to a question: they are led to one, instead of to the browser's own page of errors.
const BEFORE = /^\/$|^\/p\/[^/]+(\/rate\/(done|ratings))?$/;
// What js/judging/kept.js writes on a question that was left.
const LEFT = "X-Touchstone-Left";
// A proxy in front of a server that is away.
const AWAY = [502, 503, 504];

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

const numberOf = ({ url }) => Number(new URL(url).pathname.split("/").at(-1));

// Where the next question is asked for, the first one on this device that was not left is it; where all were left,
// the last one, which says so.
async function find(cache, path) {
  const found = await cache.match(path, { ignoreVary: true });
  if (found) return found;
  const requests = (await cache.keys()).filter(({ url }) => new URL(url).pathname.startsWith(`${path}/`));
  let last = null;
  for (const request of requests.sort((one, other) => numberOf(one) - numberOf(other))) {
    const page = await cache.match(request, { ignoreVary: true });
    if (page && !page.headers.has(LEFT)) return page;
    last = page ?? last;
  }
  return last;
}

// The page learns that it is an older copy.
async function kept(path) {
  const found = await find(await caches.open(KEPT), path);
  if (!found) return null;
  const says = found.headers.has(LEFT) && path.endsWith("/rate") ? ' data-rated="on"' : "";
  const text = (await found.text()).replace('data-preview="off"', `data-preview="off" data-kept="on"${says}`);
  const headers = new Headers(found.headers);
  for (const name of ["Content-Encoding", "Content-Length", "Set-Cookie"]) headers.delete(name);
  return new Response(text, { headers });
}

async function answer(request, path) {
  try {
    const reply = await fetch(request);
    return AWAY.includes(reply.status) ? await kept(path) ?? reply : reply;
  } catch (error) {
    const page = await kept(path);
    if (page) return page;
    throw error;
  }
}

// Any question on this device.
async function lead(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const [first] = await (await caches.open(KEPT)).keys();
    if (first) return Response.redirect(first.url.replace(/\/\d+$/, ""));
    throw error;
  }
}

addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== location.origin) return;
  const path = url.pathname.slice(ROOT.length);
  // What an image shows never changes under its address.
  if (IMAGE.test(path)) event.respondWith(caches.match(request, { ignoreVary: true }).then((one) => one ?? fetch(request)));
  if (request.mode !== "navigate") return;
  // Nobody is signed in any more, or soon somebody else: nothing of the account stays here.
  if (path === "/sign-in" || path === "/sign-out") event.waitUntil(caches.delete(KEPT));
  // A press on "Start rating" asks for the next question as well.
  if (QUESTION.test(path)) event.respondWith(answer(request, url.pathname));
  else if (BEFORE.test(path)) event.respondWith(lead(request));
});
