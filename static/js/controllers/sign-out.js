// Used on every form that signs out (templates/layouts/base.html): data-person names the account.
// Whoever signs out hears first what has not been sent from this device.
import { amountOf, openOutbox } from "../judging/outbox.js";
import { t } from "../lib/words.js";

// What js/judging/remarked.js and js/judging/restore.js keep of notes and ratings that were sent.
const SENT = ["touchstone.remarked.", "touchstone.noted."];

function forget() {
  for (const key of Object.keys(localStorage)) if (SENT.some((prefix) => key.startsWith(prefix))) localStorage.removeItem(key);
}

export default function connect(form) {
  form.addEventListener("submit", (event) => {
    if (!navigator.onLine) {
      event.preventDefault();
      return alert(t("You are offline. Sign out when you are online again."));
    }
    // Ratings, and an adjudicator's decisions.
    const outboxes = [form.dataset.person, `${form.dataset.person}~decisions`].map(openOutbox);
    const amount = amountOf(...outboxes);
    if (!amount) return forget();
    const question = t("Not sent yet: %(amount)s. Kept on this device for when you sign in again. Sign out anyway?", { amount });
    if (!confirm(question)) return event.preventDefault();
    document.body.dataset.signsOut = "";
    forget();
  });
}
