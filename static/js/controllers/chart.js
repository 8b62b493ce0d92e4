// Used by charts over time (templates/macros/charts.html, line_chart). The drawing comes finished from the
// server; here the pointer, the arrow keys, Home and End walk its points, and a line below says what the table
// says, until Escape. Where a number of the table leads somewhere, a click on its point or Enter goes there too.
import { walker } from "../lib/walker.js";

const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const ENDS = { Home: false, End: true };

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

  const unread = readout.textContent;
  function forget() {
    link = null;
    readout.classList.remove("readout--on");
    readout.textContent = unread;
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
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.key === "Enter") link?.click();
      if (event.key === "Escape") { walk.leave(); forget(); }
      if (!(event.key in KEYS) && !(event.key in ENDS)) return;
      event.preventDefault();
      if (event.key in ENDS) walk.end(ENDS[event.key]);
      else walk.step(...KEYS[event.key]);
    });
  }
}
