// Used by charts over time (templates/macros/charts.html, line_chart). The drawing comes finished from the
// server; here the pointer and the arrow keys walk its points, and a line below says what the table says.
// Where a number of the table leads somewhere, a click on its point or Enter goes there too.
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
function walker(drawing, names, say) {
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

  return { leave, nearest, step };
}

const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export default function connect(box) {
  const readout = box.querySelector('[data-ref="readout"]');
  const table = box.querySelector('[data-ref="table"]');
  const names = [...table.tHead.rows[0].cells].slice(1).map((cell) => cell.textContent);
  let link = null;

  function say(column, place) {
    const row = table.tBodies[0].rows[place];
    link = row.cells[column + 1].querySelector("a");
    readout.classList.add("readout--on");
    readout.textContent = `${names[column]}, ${row.cells[0].textContent}: ${row.cells[column + 1].textContent}`;
  }

  readout.hidden = false;
  for (const drawing of box.querySelectorAll('[data-ref="drawing"]')) {
    const walk = walker(drawing, names, say);
    drawing.tabIndex = 0;
    drawing.setAttribute("role", "application");
    drawing.setAttribute("aria-roledescription", "chart, arrow keys move along the points");

    const pick = (event) => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());
      walk.nearest(point.x, point.y);
    };
    const byFinger = (event) => event.pointerType === "touch";
    drawing.addEventListener("pointermove", pick);
    // A finger that is lifted leaves the drawing: what it chose stays, for the readout below and its link.
    drawing.addEventListener("pointerleave", (event) => { if (!byFinger(event)) walk.leave(); });
    drawing.addEventListener("blur", walk.leave);
    drawing.addEventListener("click", (event) => {
      // A tap first says what it chose; another tap on the same point goes on.
      const before = link;
      pick(event);
      if (!byFinger(event) || (link && link === before)) link?.click();
    });
    drawing.addEventListener("keydown", (event) => {
      if (event.key === "Enter") link?.click();
      const step = KEYS[event.key];
      if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      walk.step(...step);
    });
  }
}
