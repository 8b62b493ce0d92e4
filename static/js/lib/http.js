// Used by every controller that speaks to the server: one place that adds the CSRF token.
export function csrfToken() {
  return document.querySelector('meta[name="csrf-token"]')?.content ?? "";
}

// A fetch within this site. Anything that is not GET carries the token of the page.
export function send(url, { method = "GET", headers = {}, ...rest } = {}) {
  const all = new Headers(headers);
  if (method !== "GET") all.set("X-CSRFToken", csrfToken());
  return fetch(url, { method, headers: all, credentials: "same-origin", ...rest });
}

// Who is signed in on this device right now, and a fresh token for what is sent next.
export async function refreshSession(person) {
  let reply;
  try {
    reply = await fetch("/api/v1/session", { credentials: "same-origin", cache: "no-store" });
  } catch {
    return "away";
  }
  if (reply.status === 401) return "out";
  if (!reply.ok) return "away";
  const { person: present, csrf } = await reply.json();
  if (present !== person) return "other";
  document.querySelector('meta[name="csrf-token"]').content = csrf;
  for (const field of document.querySelectorAll('input[name="csrf_token"]')) field.value = csrf;
  return "same";
}
