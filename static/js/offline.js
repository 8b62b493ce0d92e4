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

// An answer that nobody has rated or passed on, as kept.js writes a page that was left.
const UNRATED = 'data-grade="" data-reason=""';

const isQuestion = ({ url }) => QUESTION.test(new URL(url).pathname.slice(ROOT.length));

// Where the next question is asked for, the first one on this device that was not left and has something unrated is it;
// else the first with something unrated that was left for later; or else the last one, which says that all are rated.
async function find(cache, path) {
  const found = await cache.match(path, { ignoreVary: true });
  if (found) return [found, false];
  const requests = (await cache.keys()).filter(({ url }) => new URL(url).pathname.startsWith(`${path}/`));
  let [later, last] = [null, null];
  for (const request of requests.sort((one, other) => numberOf(one) - numberOf(other))) {
    const page = await cache.match(request, { ignoreVary: true });
    const isOpen = page && (await page.clone().text()).includes(UNRATED);
    if (isOpen && !page.headers.has(LEFT)) return [page, false];
    last = page ?? last;
    if (isOpen && page.headers.get(LEFT) === "later") later ??= page;
  }
  return later ? [later, false] : [last, true];
}

// The page learns that it is an older copy.
async function kept(path) {
  const [found, isRated] = await find(await caches.open(KEPT), path);
  if (!found) return null;
  const says = isRated ? ' data-rated="on"' : "";
  const text = (await found.text()).replace('data-preview="off"', `data-preview="off" data-kept="on"${says}`);
  const headers = new Headers(found.headers);
  for (const name of ["Content-Encoding", "Content-Length", "Set-Cookie"]) headers.delete(name);
  return new Response(text, { headers });
}

// What is opened from the server takes the place of the older copy.
async function renew(path, reply) {
  const cache = await caches.open(KEPT);
  if (await cache.match(path, { ignoreVary: true })) await cache.put(path, reply);
}

async function answer(event, path) {
  try {
    const reply = await fetch(event.request);
    if (AWAY.includes(reply.status)) return await kept(path) ?? reply;
    if (reply.ok) event.waitUntil(renew(path, reply.clone()));
    return reply;
  } catch (error) {
    const page = await kept(path);
    if (page) return page;
    throw error;
  }
}

// A question on this device, of the same project where there is one; the page says why it is shown. Whoever was about
// to stop stays at the question that they came from.
async function lead(request, path) {
  try {
    return await fetch(request);
  } catch (error) {
    const pages = (await (await caches.open(KEPT)).keys()).filter(isQuestion).map(({ url }) => url);
    const referrer = request.referrer.replace(/[?#].*/, "");
    const from = pages.find((url) => url === referrer);
    // The project that the path names, or else that of the question they came from.
    const project = /^\/p\/[^/]+\//.exec(`${path}/`)?.[0] ?? (from && /^\/p\/[^/]+\//.exec(new URL(from).pathname.slice(ROOT.length))[0]);
    const own = project ? pages.filter((url) => new URL(url).pathname.startsWith(`${ROOT}${project}`)) : [];
    const stops = path.endsWith("/rate/done") && own.length;
    const to = stops && own.includes(from) ? from : (own[0] ?? pages[0])?.replace(/\/\d+$/, "");
    if (to) return Response.redirect(`${to}?offline=${stops ? "stop" : "led"}`);
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
  if (QUESTION.test(path)) event.respondWith(answer(event, url.pathname));
  else if (BEFORE.test(path)) event.respondWith(lead(request, path));
});
