// Used on a list or a select with many entries: a search field beside it leaves those with the typed words.
// What is ticked stays so; in a select the first that fits is chosen. Without this script the whole list is there.
// Its label: data-label.
import { t } from "../lib/words.js";

const FEW = 12;

export default function connect(list) {
  const isSelect = list instanceof HTMLSelectElement;
  let chosen = list.value;
  const entries = [...list.children];
  if (entries.length <= FEW) return;
  const input = Object.assign(document.createElement("input"), {
    className: "input narrow-list",
    type: "search",
    autocomplete: "off",
    placeholder: list.dataset.label,
    ariaLabel: list.dataset.label,
  });
  const label = isSelect && list.closest("label");
  // A label comes before its own list: the search follows.
  if (label) label.after(input);
  else list.before(input);

  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (entry) => words.every((word) => entry.textContent.toLowerCase().includes(word));
    if (!isSelect) {
      for (const entry of entries) entry.hidden = !fits(entry);
      return;
    }
    const found = entries.filter(fits);
    // What is typed is what is sent.
    const isChosen = found.some((entry) => entry.value === chosen);
    list.replaceChildren(...(found.length ? found : entries));
    list.value = isChosen || !found.length ? chosen : found[0].value;
    input.setCustomValidity(found.length ? "" : t("Nothing found."));
  });
  if (isSelect) {
    list.addEventListener("change", () => { chosen = list.value; });
    return;
  }
  // Enter would send the form with whatever is ticked so far.
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
}
