// Used by the rating page.
// What waits on this device to be sent, one stored entry per message, per account. Written before anything is
// sent, and synchronously, so that a tab that dies loses nothing; removed only when the server has taken it. What it
// refuses is set aside on the device, until the person has decided about it.
// Entries of their own cannot be overwritten by another tab, and no account can see another's.
import { t, tn } from "../lib/words.js";

const PREFIX = "touchstone.outbox.";
const REFUSED = "touchstone.refused.";
const DIGITS = 17;
// Two tabs that act in the same moment write two entries.
const TAB = Math.random().toString(36).slice(2, 8);

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
  const [prefix, aside] = [PREFIX, REFUSED].map((start) => `${start}${person}.`);

  // Keys sort by time, whichever tab or page made them; a clock that was set back puts nothing before what waits.
  const nextKey = () => {
    const newest = Number((keysOf(prefix).at(-1) ?? "").slice(prefix.length, prefix.length + DIGITS));
    const number = Math.max(Date.now() * 1000, newest + 1);
    return `${prefix}${String(number).padStart(DIGITS, "0")}.${TAB}`;
  };

  const within = (start) => {
    const all = () => keysOf(start).map((key) => ({ key, ...read(key) })).filter((item) => item.url);
    return { all };
  };
  const { all } = within(prefix);

  return {
    all,
    prefix,
    refused: within(aside),
    setAside({ key, ...item }, why, code) {
      store(`${aside}${key.slice(prefix.length)}`, JSON.stringify({ ...item, why, code }));
      drop(key);
    },
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

const place = ({ project, batch }) => `${project}/${batch}`;
const countOf = (items, isMeant, name) => new Set(items.filter(isMeant).flatMap(name)).size;
const namesIn = (item) => (item.answers ?? [item.answer]).map((answer) => `${place(item)}/${answer}`);

// How many answers have a rating that waits, however often each was rated, or undone.
export const answersIn = (items) => countOf(items, ({ counts }) => counts, namesIn);

// How much waits, in words: answers that were rated, or changes where there is anything else, each once. Of one outbox
// or, where somebody adjudicates as well, of two.
// Nothing, where only the place on a page waits, or that it was left: no work is in it.
export function amountOf(...outboxes) {
  const items = outboxes.flatMap((outbox) => outbox.all());
  const rated = items.filter(({ counts }) => counts).flatMap((item) => namesIn(item).map((name) => [name, item]));
  const [oldest, newest] = [new Map([...rated].reverse()), new Map(rated)];
  // What is taken back by the newest one that waits is a change only where it was saved before.
  const isCleared = ({ kind, grade, body }) => (kind === "step" ? grade === null : body.reason === "cleared");
  const wasSaved = ({ kind, grade, body }) => (kind === "step" ? grade === null : Boolean(body.base));
  // One of these reaches all parts of a question: only the server knows how many answers that are.
  const isWhole = ({ kind, grade }) => kind === "step" && grade !== null;
  const last = [...newest];
  const answers = last.filter(([, item]) => !isCleared(item) && !isWhole(item)).length;
  const cleared = last.filter(([name, item]) => isCleared(item) && wasSaved(oldest.get(name))).length;
  const whole = new Set(last.map(([, item]) => item).filter(isWhole)).size;
  const remarks = countOf(items, ({ kind }) => kind === "note" || kind?.startsWith("flag"), (item) => [`${item.kind}/${place(item)}/${item.answer}`]);
  // This one holds for all parts of a question.
  const declined = countOf(items, ({ kind }) => kind === "declined", ({ project, query }) => [`${project}/${query}`]);
  const others = cleared + whole + remarks + declined;
  if (answers && !others) return tn(answers, "%(n)s rating", "%(n)s ratings");
  // That a page is finished is told where nothing else waits: its ratings are what people count.
  const changes = answers + others || countOf(items, ({ kind, body }) => kind === "state" && body.state === "done", (item) => [place(item)]);
  return changes ? tn(changes, "%(n)s change", "%(n)s changes") : "";
}

// Why nothing is sent. The device may be online all the same: then it is the server that does not answer.
export const whyAway = () => (navigator.onLine ? t("The server does not answer.") : t("You are offline."));

// Where what waits is meanwhile, in the same words on every page.
export function whereKept(outbox) {
  const amount = amountOf(outbox);
  if (outbox.isVolatile()) return t("Kept in this tab only: %(amount)s. Leave it open until that is sent.", { amount });
  return t("Kept on this device and sent later: %(amount)s.", { amount });
}
