// Used on a list or a select with many entries: a search field beside it leaves those with the typed words.
// What is ticked or selected stays so. Without this script the whole list is there. Its label: data-label.
const FEW = 12;

export default function connect(list) {
  const isSelect = list instanceof HTMLSelectElement;
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
    const chosen = list.value;
    list.replaceChildren(...entries.filter((entry) => fits(entry) || entry.value === chosen));
    list.value = chosen;
  });
  // Enter would send the form with whatever is chosen so far.
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
}
