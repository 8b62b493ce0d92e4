// Used by every controller that speaks to the server: one place that adds the CSRF token.
export function csrfToken() {
  return document.querySelector('meta[name="csrf-token"]')?.content ?? "";
}

// The address of a path of this site, which may be below a path of its host (PUBLIC_URL).
export const at = (path) => `${document.documentElement.dataset.root ?? ""}${path}`;

// A fetch within this site. Anything that is not GET carries the token of the page.
export function send(url, { method = "GET", headers = {}, ...rest } = {}) {
  const all = new Headers(headers);
  if (method !== "GET") all.set("X-CSRFToken", csrfToken());
  return fetch(url, { method, headers: all, credentials: "same-origin", ...rest });
}

// Fetches a script of the rating page when it is needed. A browser may remember a failure: then under another address.
const failed = {};
export const load = (name) => import(`../judging/${name}.js${failed[name] ?? ""}`).catch((error) => {
  failed[name] = `?${Date.now()}`;
  throw error;
});

// A reply of ours repeats what was sent; a portal or a proxy on the way may answer anything, with any status.
const REPEATED = ["id", "flagged", "state", "reason"];
export function confirms(sent, body) {
  const name = REPEATED.find((one) => one in sent);
  return name ? body[name] === sent[name] : typeof body.text === "string";
}

// A refusal of ours is a problem document (RFC 9457) with a code.
export const isProblem = (reply, body) => !reply.ok && body.status === reply.status && typeof body.code === "string";

// Who is signed in on this device right now, and a fresh token for what is sent next: "same", "other" or "out"; "away"
// where the server does not answer within so many milliseconds.
export async function refreshSession(person, patience) {
  let reply;
  try {
    reply = await fetch(at("/api/v1/session"), { credentials: "same-origin", cache: "no-store", signal: AbortSignal.timeout(patience) });
  } catch {
    return "away";
  }
  // Whatever stands in between may answer too.
  const body = await reply.json().catch(() => null) ?? {};
  if (reply.status === 401 && isProblem(reply, body)) return "out";
  if (!reply.ok || !body.csrf) return "away";
  const { person: present, csrf } = body;
  if (present !== person) return "other";
  document.querySelector('meta[name="csrf-token"]').content = csrf;
  for (const field of document.querySelectorAll('input[name="csrf_token"]')) field.value = csrf;
  return "same";
}

// Ids of what is sent are made on the device. `randomUUID` exists only on https and localhost; a server in the next room has neither.
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
