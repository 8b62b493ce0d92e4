// Used by controllers/chart.js: one drawing of a chart, with the place at hand marked in it.
const SVG = "http://www.w3.org/2000/svg";

const numbers = (text) => text.split(" ").map((part) => (part === "-" ? null : Number(part)));

function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// `keys` are the lines in the order of the readout.
export function plotOf(drawing, keys) {
  const xs = numbers(drawing.dataset.columns);
  const ys = new Map([...drawing.querySelectorAll("g[data-line]")].map((line) => [line.dataset.line, numbers(line.dataset.ys)]));
  const bottom = drawing.querySelector(".axis").getAttribute("y1");
  const cursor = element("line", { class: "cursor-line", y1: 24, y2: bottom });
  const spot = element("circle", { class: "cursor", r: 11 });
  // Below the points, so that it hides no link. With one place there is nothing to choose, and it would hide the band.
  if (xs.length > 1) drawing.querySelector("g[data-line]")?.before(cursor);

  function has(key, place) { return (ys.get(key)?.[place] ?? null) !== null; }

  function mark(place, key) {
    cursor.setAttribute("x1", xs[place]);
    cursor.setAttribute("x2", xs[place]);
    if (!has(key, place)) { spot.remove(); return; }
    spot.setAttribute("cx", xs[place]);
    spot.setAttribute("cy", ys.get(key)[place]);
    drawing.append(spot);
  }

  // The place next to a pointer at which a line has a value, and the line there.
  function nearest(event, shown) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());
    const far = (place) => Math.abs(xs[place] - at.x);
    const lived = [...xs.keys()].filter((index) => keys.some((key) => shown(key) && has(key, index)));
    const place = (lived.length ? lived : [...xs.keys()]).reduce((best, index) => (far(index) < far(best) ? index : best));
    const high = (key) => Math.abs(ys.get(key)[place] - at.y);
    const lines = keys.filter((key) => shown(key) && has(key, place));
    return [place, lines.sort((one, other) => high(one) - high(other))[0] ?? null];
  }

  return { has, mark, nearest };
}
