// Used where rating ends and on the home page: <section data-controller="waiting" data-person="..."> with
// a [data-ref="waiting"] line. Sends what this account still has on this device, and says how much it is.
import { guard } from "../judging/leaving.js";
import { openOutbox } from "../judging/outbox.js";
import { openSender } from "../judging/sender.js";
import { some } from "../judging/status.js";

export default function connect(root) {
  const { person } = root.dataset;
  const outbox = openOutbox(person);
  const line = root.querySelector('[data-ref="waiting"] span');
  const safe = line.textContent;
  const { signal } = new AbortController();

  const says = {
    sending: () => `${some(outbox.count())} on this device are being sent.`,
    idle: () => (outbox.isEmpty() ? safe : `${some(outbox.count())} wait on this device: open their question to decide.`),
    offline: () => `Offline: ${some(outbox.count())} are kept on this device and will be sent when you are back.`,
    retrying: () => `${some(outbox.count())} are kept on this device; the server does not answer yet.`,
    out: () => `Signed out: sign in again to send ${some(outbox.count())}.`,
    other: () => `${some(outbox.count())} of yours are kept on this device.`,
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
