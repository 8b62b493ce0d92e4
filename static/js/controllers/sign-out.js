// Used on every form that signs out (templates/layouts/base.html): data-person names the account.
// Whoever signs out hears first what has not been sent from this device.
import { openOutbox } from "../judging/outbox.js";
import { tn } from "../lib/words.js";

// What js/judging/remarked.js keeps of notes that were sent.
const REMARKED = "touchstone.remarked.";

function forget() {
  for (const key of Object.keys(localStorage)) if (key.startsWith(REMARKED)) localStorage.removeItem(key);
}

export default function connect(form) {
  form.addEventListener("submit", (event) => {
    // Ratings, and an adjudicator's decisions.
    const n = [form.dataset.person, `${form.dataset.person}~decisions`].reduce((sum, of) => sum + openOutbox(of).all().length, 0);
    if (!n) return forget();
    const question = tn(n, "%(n)s rating has not been sent yet. It stays on this device until you sign in again. Sign out all the same?", "%(n)s ratings have not been sent yet. They stay on this device until you sign in again. Sign out all the same?");
    if (!confirm(question)) event.preventDefault();
    else forget();
  });
}
