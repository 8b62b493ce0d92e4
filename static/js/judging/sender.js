// Used by the rating page.
// Sends the outbox, oldest first, one at a time: ratings arrive in the order in which they were given.
// Everything sent is idempotent, so whatever was not answered is sent again, less and less often.
import { at, confirms, isProblem, refreshSession, send } from "../lib/http.js";
import { joinNote } from "./remarked.js";

const [FIRST_PAUSE, LONGEST_PAUSE] = [1000, 30_000];
// A server that takes the message and says nothing is asked again.
const PATIENCE = 15_000;

// `tell(event, detail)` hears: sending, saved, clash, refused, joined, offline, retrying, out, other, idle.
export function openSender(outbox, person, tell) {
  const stuck = new Set();
  let running = false;
  let again = false;
  let failures = 0;
  let timer = 0;

  function request(item) {
    // What may have arrived is not taken out of the row any more (remarks.js).
    if (item.kind === "note") outbox.change({ ...item, isTried: true });
    const headers = { "Content-Type": "application/json", "X-Touchstone-Person": person };
    const signal = AbortSignal.timeout(PATIENCE);
    return send(at(item.url), { method: item.method, keepalive: true, signal, headers, body: JSON.stringify(item.body) });
  }

  function pause(reply) {
    failures += 1;
    const asked = Number(reply?.headers.get("Retry-After") ?? 0) * 1000;
    const wait = Math.max(asked, Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (failures - 1)));
    clearTimeout(timer);
    timer = setTimeout(kick, wait * (0.75 + Math.random() / 2));
    tell(reply ? "retrying" : "offline");
    return false;
  }

  // A token may be older than the session: a fresh one is asked for, for the same account only.
  async function renew() {
    const who = await refreshSession(person, PATIENCE);
    if (who === "same") return true;
    if (who === "away") return pause(null);
    tell(who);
    return false;
  }

  // Returns whether to go on with the next one; "renew" where a fresh token may help.
  async function settle(item, reply) {
    const body = await reply.json().catch(() => null) ?? {};
    if (reply.ok && confirms(item.body, body)) {
      failures = 0;
      tell("saved", { item, body });
      outbox.remove(item.key);
      return true;
    }
    // Refused is only what the server itself refuses, in a problem document; all else waits.
    if (!isProblem(reply, body)) return pause(reply);
    if (reply.status === 401 || body.code === "csrf") return "renew";
    if (reply.status === 429 || reply.status >= 500) return pause(reply);
    if (body.code === "changed_elsewhere") {
      stuck.add(item.answer);
      tell("clash", { item, current: body.current });
      return true;
    }
    if (body.code === "note_changed") {
      tell("joined", joinNote(outbox, item, body.current));
      return true;
    }
    if (item.kind === "state") outbox.remove(item.key);
    else outbox.setAside(item, body.detail, body.code);
    tell("refused", { item, body });
    return true;
  }

  const next = () => outbox.first((one) => !stuck.has(one.answer));

  async function drain() {
    let renewed = null;
    for (;;) {
      const item = next();
      if (!item) return tell("idle");
      let goOn;
      try {
        goOn = await settle(item, await request(item));
      } catch {
        goOn = pause(null);
      }
      if (goOn === "renew") {
        goOn = renewed === item.key ? pause(null) : await renew();
        renewed = item.key;
      }
      if (!goOn) return undefined;
    }
  }

  async function kick() {
    clearTimeout(timer);
    again = true;
    if (running) return;
    running = true;
    while (again) {
      again = false;
      // What was added while others were sent has been sent with them.
      if (next()) tell("sending");
      // Two tabs take turns; where locks are missing, sending twice does no harm.
      if (navigator.locks) await navigator.locks.request(outbox.prefix, drain);
      else await drain();
    }
    running = false;
  }

  return {
    kick,
    release(answer) {
      stuck.delete(answer);
      kick();
    },
    tryNow() {
      failures = 0;
      kick();
    },
  };
}
