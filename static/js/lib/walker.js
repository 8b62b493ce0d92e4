// Used by controllers/chart.js: walks the points of one drawing and marks the one at hand.
const SVG = "http://www.w3.org/2000/svg";

const numbers = (text) => text.split(" ").map((part) => (part === "-" ? null : Number(part)));

// The lines of one drawing in the order of the table's columns.
function linesOf(drawing, names) {
  const lines = [...drawing.querySelectorAll('[data-ref="line"]')];
  return lines
    .map((line) => ({ column: names.indexOf(line.dataset.name), ys: numbers(line.dataset.ys) }))
    .filter((line) => line.column >= 0)
    .sort((one, other) => one.column - other.column);
}

function cursorIn(drawing) {
  const line = document.createElementNS(SVG, "line");
  const ring = document.createElementNS(SVG, "circle");
  line.setAttribute("class", "cursor-line");
  ring.setAttribute("class", "cursor");
  ring.setAttribute("r", "9");
  return (at) => {
    if (!at) { line.remove(); ring.remove(); return; }
    const [x, y, bottom] = at;
    for (const [name, value] of [["x1", x], ["x2", x], ["y1", 24], ["y2", bottom]]) line.setAttribute(name, value);
    ring.setAttribute("cx", x);
    ring.setAttribute("cy", y);
    drawing.append(line, ring);
  };
}

// Walks the points of one drawing: `at` is [line, column of places].
export function walker(drawing, names, say) {
  const lines = linesOf(drawing, names);
  const xs = numbers(drawing.dataset.columns);
  const bottom = Number(drawing.querySelector(".axis")?.getAttribute("y1") ?? 0);
  const show = cursorIn(drawing);
  let at = null;

  function go(line, place) {
    at = [line, place];
    show([xs[place], lines[line].ys[place], bottom]);
    say(lines[line].column, place);
  }

  function leave() { at = null; show(null); }

  function nearest(x, y) {
    let best = null;
    lines.forEach((line, index) => line.ys.forEach((height, place) => {
      if (height === null) return;
      const far = (xs[place] - x) ** 2 + ((height - y) / 2) ** 2;
      if (!best || far < best.far) best = { far, index, place };
    }));
    if (best) go(best.index, best.place);
  }

  // Left and right stay on the line, up and down change to the next line that has a point at this place.
  function step(along, across) {
    if (!at) { nearest(xs.at(-1), 0); return; }
    let [line, place] = at;
    do {
      line += across;
      place += along;
    } while (lines[line] && place >= 0 && place < xs.length && lines[line].ys[place] === null);
    if (lines[line] && place >= 0 && place < xs.length) go(line, place);
  }

  // The first or the last point of the line at hand.
  function end(last) {
    const line = at ? at[0] : 0;
    const found = (lines[line]?.ys ?? []).flatMap((height, place) => (height === null ? [] : [place]));
    if (found.length) go(line, found.at(last ? -1 : 0));
  }

  return { leave, nearest, step, end };
}
