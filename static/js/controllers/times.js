// Used on <body> of every page (templates/layouts/base.html); templates/macros/times.html writes the <time>.
// The server writes UTC; here it becomes the reader's own zone and manner. `data-show` chooses what is said.
import { inWords } from "../lib/dates.js";
import { at } from "../lib/http.js";

const SHOWN = {
  date: { dateStyle: "medium" },
  time: { timeStyle: "short" },
  both: { dateStyle: "medium", timeStyle: "short" },
};

function localise(element) {
  const moment = new Date(element.dateTime);
  // A date without a time of day means that day everywhere: moving it to another zone would change it.
  if (element.title || Number.isNaN(moment.getTime()) || !element.dateTime.includes("T")) return;
  const shown = SHOWN[element.dataset.show] ?? SHOWN.both;
  element.title = element.textContent.trim();
  element.textContent = inWords(moment, shown);
}

// Whose days begin when, the server knows from here.
function tellZone() {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  if (timeZone) document.cookie = `zone=${timeZone}; Path=${at("/")}; SameSite=Lax; Max-Age=31536000`;
}

export default function connect(root) {
  tellZone();
  const localiseIn = (part) => part.querySelectorAll("time[datetime]").forEach(localise);
  localiseIn(root);
  root.addEventListener("touchstone:replaced", (event) => localiseIn(event.target));
}
