// Used where rating ends and on the home page: <section data-controller="waiting" data-person="..."> with
// a [data-ref="waiting"] line. Sends what this account still has on this device, and says how much it is.
import { guard } from "../judging/leaving.js";
import { openOutbox } from "../judging/outbox.js";
import { openSender } from "../judging/sender.js";
import { some } from "../judging/status.js";
import { t, tn } from "../lib/words.js";

export default function connect(root) {
  const { person } = root.dataset;
  const outbox = openOutbox(person);
  const line = root.querySelector('[data-ref="waiting"] span');
  const safe = line.textContent;
  const { signal } = new AbortController();

  const says = {
    sending: () => tn(outbox.count(), "%(n)s rating on this device is being sent.", "%(n)s ratings on this device are being sent."),
    idle: () => (outbox.isEmpty() ? safe : tn(outbox.count(), "%(n)s rating waits on this device: open its question to decide.", "%(n)s ratings wait on this device: open their question to decide.")),
    offline: () => `${t("You are offline.")} ${tn(outbox.count(), "%(n)s rating is kept on this device and will be sent when you are back.", "%(n)s ratings are kept on this device and will be sent when you are back.")}`,
    retrying: () => tn(outbox.count(), "%(n)s rating is kept on this device; the server does not answer yet.", "%(n)s ratings are kept on this device; the server does not answer yet."),
    out: () => `${t("Signed out.")} ${t("Sign in to send %(ratings)s", { ratings: some(outbox.count()) })}.`,
    other: () => tn(outbox.count(), "%(n)s rating of yours is kept on this device.", "%(n)s ratings of yours are kept on this device."),
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
