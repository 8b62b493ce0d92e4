// Used on every form that signs out (templates/layouts/base.html): data-person names the account.
// Whoever signs out hears first what has not been sent from this device.
import { amountOf, openOutbox, whyAway } from "../judging/outbox.js";
import { refreshSession } from "../lib/http.js";
import { t } from "../lib/words.js";

// What js/judging/remarked.js and js/judging/restore.js keep of notes and ratings that were sent.
const SENT = ["touchstone.remarked.", "touchstone.noted."];

// Whoever has pressed waits no longer than this for the server.
const PATIENCE = 4000;

function forget() {
  try {
    for (const key of Object.keys(localStorage)) if (SENT.some((prefix) => key.startsWith(prefix))) localStorage.removeItem(key);
  } catch {
    // A browser that stores nothing has kept nothing.
  }
}

export default function connect(form) {
  const { person } = form.dataset;
  let isAsking = false;

  // Who signs out hears in words that it needs a connection, instead of seeing the browser's own page of errors.
  async function signOut() {
    if (!navigator.onLine || await refreshSession(person, PATIENCE) === "away") {
      return alert(`${whyAway()} ${t("You can sign out when the connection is back.")}`);
    }
    // Ratings, and an adjudicator's decisions.
    const outboxes = [person, `${person}~decisions`].map(openOutbox);
    const amount = amountOf(...outboxes);
    if (amount) {
      const question = t("Not sent yet: %(amount)s. Kept on this device for when you sign in again. Sign out anyway?", { amount });
      if (!confirm(question)) return undefined;
      document.body.dataset.signsOut = "";
    }
    forget();
    return form.submit();
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isAsking) return;
    isAsking = true;
    await signOut().finally(() => { isAsking = false; });
  });
}
