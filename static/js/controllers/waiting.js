// Used where rating ends and on the home page: <section data-controller="waiting" data-person="..."> with
// a [data-ref="waiting"] line. Sends what this account still has on this device, and says how much it is.
import { guard } from "../judging/leaving.js";
import { amountOf, openOutbox } from "../judging/outbox.js";
import { openSender } from "../judging/sender.js";
import { t } from "../lib/words.js";

export default function connect(root) {
  const { person } = root.dataset;
  const outbox = openOutbox(person);
  const line = root.querySelector('[data-ref="waiting"] span');
  const safe = line.textContent;
  const { signal } = new AbortController();

  const amount = () => ({ amount: amountOf(outbox) });
  const says = {
    sending: () => t("Being sent from this device: %(amount)s.", amount()),
    idle: () => (outbox.isEmpty() ? safe : t("On this device still: %(amount)s. Open the question to decide.", amount())),
    offline: () => t("You are offline. Kept on this device and sent when you are back: %(amount)s.", amount()),
    retrying: () => t("The server does not answer yet. Kept on this device: %(amount)s.", amount()),
    out: () => `${t("Signed out.")} ${t("Sign in to send %(ratings)s", { ratings: amountOf(outbox) })}.`,
    other: () => t("Kept on this device for you: %(amount)s.", amount()),
  };

  const sender = openSender(outbox, person, (event) => {
    if (says[event]) line.textContent = says[event]();
    // On the home page the line is there only while something waits.
    if ("quiet" in root.dataset) root.hidden = outbox.isEmpty();
    line.parentElement.classList.toggle("saved--off", !outbox.isEmpty());
  });
  guard(outbox, signal);
  for (const name of ["online", "focus"]) addEventListener(name, sender.tryNow);
  if (!outbox.isEmpty()) sender.kick();
}
