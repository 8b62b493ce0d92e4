// Used by charts over time (templates/macros/charts.html, line_chart). The drawing comes finished from the
// server. Here the pointer, the arrow keys, Home and End choose a place, and the readout beside the drawing names
// all lines there, until Escape. Up and down choose a line; a click on its point or Enter goes where its number in
// the table leads. The boxes of the readout hide lines.
import { plotOf } from "../lib/walker.js";

const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
const ACROSS = { ArrowUp: -1, ArrowDown: 1 };
// Which lines are hidden and which place is read, by chart: both outlive a refresh of the page's part.
const kept = new Map();

function entryOf(item) {
  const { key, scores, gaps } = item.dataset;
  return {
    key, item, scores: scores.split(" "), gaps: gaps.split(","),
    box: item.querySelector("input"), name: item.querySelector("label").textContent.trim(),
    score: item.querySelector("b"), gap: item.querySelector(":scope > span"),
  };
}

export default function connect(box) {
  const [figure, when, message, table] = ["figure", "when", "message", "table"].map((name) => box.querySelector(`[data-ref="${name}"]`));
  const entries = [...box.querySelectorAll("[data-key]")].map(entryOf);
  if (!entries.length) return;
  const plots = new Map([...box.querySelectorAll('[data-ref="drawing"]')].map((one) => [one, plotOf(one, entries.map(({ key }) => key))]));
  const [plot] = plots.values();
  const rows = [...table.tBodies[0].rows];
  const columns = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  const newest = rows.length - 1;
  const state = kept.get(box.id) ?? { hidden: new Set(), row: null };
  kept.set(box.id, state);
  let place = newest;
  let line = null;

  const entry = (key) => entries.find((one) => one.key === key);
  const shown = (key) => !state.hidden.has(key);
  const words = ({ name, scores, gaps }) => `${name} ${scores[place]}${gaps[place] ? `, ${gaps[place]}` : ""}`;

  function read(to, key = null) {
    [place, line] = [to, key];
    state.row = to === newest ? null : rows[to].cells[0].textContent;
    when.textContent = rows[to].cells[0].textContent;
    for (const one of entries) {
      one.score.textContent = one.scores[to];
      one.gap.textContent = one.gaps[to];
      one.item.classList.toggle("at", one.key === key);
    }
    for (const one of plots.values()) one.mark(to, key);
  }

  function say() {
    const told = line ? [entry(line)] : entries.filter(({ key }) => shown(key));
    message.textContent = `${when.textContent}: ${told.map(words).join("; ")}`;
  }

  const link = () => line && rows[place].cells[columns.indexOf(entry(line).name)].querySelector("a");

  function across(step) {
    const there = entries.filter(({ key }) => shown(key) && plot.has(key, place)).map(({ key }) => key);
    const at = there.indexOf(line);
    const next = at < 0 ? (step > 0 ? 0 : there.length - 1) : Math.min(there.length - 1, Math.max(0, at + step));
    if (there.length) read(place, there[next]);
  }

  function hide(key, hidden) {
    if (hidden) state.hidden.add(key); else state.hidden.delete(key);
    for (const one of box.querySelectorAll(`[data-line="${CSS.escape(key)}"]`)) one.classList.toggle("off", hidden);
    if (hidden && line === key) read(place);
  }

  for (const one of entries) {
    one.box.hidden = entries.length < 2;
    one.box.checked = shown(one.key);
    hide(one.key, !shown(one.key));
    one.box.addEventListener("change", () => hide(one.key, !one.box.checked));
  }

  const byFinger = (event) => event.pointerType === "touch";
  for (const [drawing, one] of plots) {
    drawing.addEventListener("pointermove", (event) => read(...one.nearest(event, shown)));
    // A finger that is lifted leaves the drawing: what it chose stays.
    drawing.addEventListener("pointerleave", (event) => { if (!byFinger(event)) read(newest); });
    drawing.addEventListener("click", (event) => {
      if (event.target.closest("a")) return;
      // A tap first says what it chose; another tap on the same point goes on.
      const before = link();
      read(...one.nearest(event, shown));
      if (!byFinger(event) || (before && link() === before)) link()?.click();
    });
  }

  figure.tabIndex = 0;
  figure.setAttribute("role", "application");
  figure.setAttribute("aria-roledescription", "chart, arrow keys move along it");
  figure.addEventListener("keydown", (event) => {
    if (event.target !== figure || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter") link()?.click();
    else if (event.key === "Escape") read(newest);
    else if (event.key in STEPS) read(Math.min(newest, Math.max(0, place + STEPS[event.key])), line);
    else if (event.key in ACROSS) across(ACROSS[event.key]);
    else return;
    event.preventDefault();
    if (event.key !== "Enter") say();
  });

  const before = rows.findIndex((row) => row.cells[0].textContent === state.row);
  read(before < 0 ? newest : before);
}
