// Used by the price of finishing (templates/next_answers/_finishing.html):
//   <div data-controller="price" data-price='{"answers":[...],"unrated":[...],"ratings":[[...]],"seconds":20}'>
// Shows a slider beside each number field and the price of what they stand at while they move.
// Without the script the fields and their button do the same by asking the server.
import { t, tn } from "../lib/words.js";

const LONG = 90;

// The same words as on the server (app/sentences.py).
function timeOf(ratings, seconds) {
  if (!ratings) return t("0 minutes");
  const minutes = Math.ceil((ratings * seconds) / 60);
  if (minutes >= LONG) return tn(Math.round(minutes / 60), "about %(n)s hour", "about %(n)s hours");
  return tn(minutes, "about %(n)s minute", "about %(n)s minutes");
}

export default function connect(root) {
  const language = document.documentElement.lang;
  const { answers, unrated, ratings, seconds } = JSON.parse(root.dataset.price);
  const fields = Object.fromEntries(
    ["depth", "overlap"].map((name) => [name, root.querySelector(`input#${name}`)]),
  );
  const say = (name, text) => {
    root.querySelectorAll(`[data-ref="${name}"]`).forEach((one) => { one.textContent = text; });
  };

  function valueOf(field) {
    const value = Math.round(Number(field.value));
    return Math.min(Math.max(value || 1, Number(field.min)), Number(field.max));
  }

  function show() {
    const depth = valueOf(fields.depth) - 1;
    for (const [name, field] of Object.entries(fields)) {
      root.querySelectorAll(`[data-copy="${name}"]`).forEach((one) => { one.value = String(valueOf(field)); });
    }
    const wanted = valueOf(fields.overlap);
    say("chosen", tn(
      wanted,
      "Use depth %(depth)s and %(n)s rating per answer",
      "Use depth %(depth)s and %(n)s ratings per answer",
      { depth: depth + 1 },
    ));
    const left = ratings[depth][wanted - 1];
    say("answers", answers[depth].toLocaleString(language));
    say("unrated", unrated[depth].toLocaleString(language));
    say("ratings", left.toLocaleString(language));
    say("time", timeOf(left, seconds));
  }

  for (const slider of root.querySelectorAll("input[data-for]")) {
    const field = fields[slider.dataset.for];
    slider.hidden = false;
    slider.value = field.value;
    slider.addEventListener("input", () => { field.value = slider.value; show(); });
    field.addEventListener("input", () => { slider.value = String(valueOf(field)); show(); });
  }
  show();
}
