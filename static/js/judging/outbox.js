// Used by the rating page.
// What waits on this device to be sent, one stored entry per message, per account. Written before anything is
// sent, and synchronously, so that a tab that dies loses nothing; removed only when the server has answered.
// Entries of their own cannot be overwritten by another tab, and no account can see another's.
import { t, tn } from "../lib/words.js";

const PREFIX = "touchstone.outbox.";
const counter = { last: 0 };

// Without storage (private windows, full disks) the page still works, and says that it must stay open.
const memory = new Map();

function store(key, value) {
  try {
    localStorage.setItem(key, value);
    memory.delete(key);
  } catch {
    memory.set(key, value);
  }
}

function keysOf(prefix) {
  const keys = [...memory.keys()];
  try {
    for (let index = 0; index < localStorage.length; index += 1) keys.push(localStorage.key(index));
  } catch {
    // Storage is refused altogether.
  }
  return keys.filter((key) => key.startsWith(prefix)).sort();
}

function read(key) {
  try {
    return JSON.parse(memory.get(key) ?? localStorage.getItem(key));
  } catch {
    return null;
  }
}

function drop(key) {
  memory.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing was stored.
  }
}

export function openOutbox(person) {
  const prefix = `${PREFIX}${person}.`;

  // Keys sort by time, whichever tab or page made them.
  const nextKey = () => {
    counter.last = Math.max(Date.now() * 1000, counter.last + 1);
    return `${prefix}${String(counter.last).padStart(17, "0")}`;
  };

  const all = () => keysOf(prefix).map((key) => ({ key, ...read(key) })).filter((item) => item.url);

  return {
    all,
    prefix,
    count: () => all().filter((item) => item.counts).length,
    // The oldest one that may go: the rest is not even read, or five hundred would be five hundred times.
    first(mayGo) {
      for (const key of keysOf(prefix)) {
        const item = { key, ...read(key) };
        if (item.url && mayGo(item)) return item;
      }
      return null;
    },
    isEmpty: () => keysOf(prefix).length === 0,
    isVolatile: () => [...memory.keys()].some((key) => key.startsWith(prefix)),
    add(item) {
      const key = nextKey();
      store(key, JSON.stringify(item));
      return key;
    },
    change({ key, ...item }) {
      store(key, JSON.stringify(item));
    },
    remove: drop,
    // A newer note replaces one that has not left yet.
    removeLike(kind, answer) {
      for (const item of all()) if (item.kind === kind && item.answer === answer) drop(item.key);
    },
  };
}

// How much waits, in words: ratings, and changes of other kinds (notes, flags, questions left). Of one outbox or,
// where somebody adjudicates as well, of two.
export function amountOf(...outboxes) {
  const sum = (count) => outboxes.reduce((total, outbox) => total + count(outbox), 0);
  const n = sum((outbox) => outbox.count());
  const rest = sum((outbox) => outbox.all().length) - n;
  const ratings = tn(n, "%(n)s rating", "%(n)s ratings");
  const changes = tn(rest, "%(n)s change", "%(n)s changes");
  if (!rest) return ratings;
  return n ? t("%(ratings)s and %(changes)s", { ratings, changes }) : changes;
}
