// Used where rating ends and on the home page: <section data-controller="waiting" data-person="..."> with
// a [data-ref="waiting"] line. Sends what this account still has on this device, and says how much it is; lists
// what was not accepted.
import { guard } from "../judging/sign_off.js";
import { amountOf, answersIn, openOutbox, whereKept, whyAway } from "../judging/outbox.js";
import { openSender } from "../judging/sender.js";
import { at } from "../lib/http.js";
import { t, tn } from "../lib/words.js";

export default function connect(root) {
  const { person } = root.dataset;
  const outbox = openOutbox(person);
  const paragraph = root.querySelector('[data-ref="waiting"]');
  const line = paragraph.querySelector("span");
  const safe = line.textContent;
  const { signal } = new AbortController();
  const saved = [];
  let isLeaving = false;
  addEventListener("beforeunload", () => { isLeaving = true; });
  const refused = () => outbox.refused.all();

  const amount = () => ({ amount: amountOf(outbox) });
  const says = {
    sending: () => t("Being sent from this device: %(amount)s.", amount()),
    idle: () => {
      const answers = answersIn(outbox.all());
      if (amountOf(outbox)) return `${tn(answers, "Not saved yet: %(n)s answer has two different ratings.", "Not saved yet: %(n)s answers have two different ratings each.")} `;
      return refused().length ? t("Some changes were not accepted, so they are not saved.") : safe;
    },
    offline: () => `${whyAway()} ${whereKept(outbox)}`,
    // What came instead is no answer to what was sent.
    retrying: () => says.offline(),
    out: () => `${t("Signed out.")} ${t("Sign in to send %(ratings)s", { ratings: amountOf(outbox) })}.`,
    other: () => t("Kept on this device for you: %(amount)s.", amount()),
  };

  // Two ratings of one answer disagree: its question asks which one stays.
  function leadToClash() {
    const [first] = outbox.all();
    if (!first) return;
    const href = at(`/p/${first.project}/rate/${first.batch}#answer-${first.answer}`);
    line.append(Object.assign(document.createElement("a"), { href, textContent: t("Open “%(query)s” and choose one.", { query: first.query }) }));
  }

  let list = null;
  async function showRefused() {
    if (!list && !refused().length) return;
    list ??= import("../judging/refused.js").then(({ openRefused }) => openRefused(outbox, { retry: sender.kick, changed: show }));
    const { element, show: fill } = await list;
    if (!element.isConnected) ("quiet" in root.dataset ? root : paragraph).after(element);
    fill();
    if (location.hash === "#refused") element.scrollIntoView({ block: "center" });
  }

  // The numbers on the page are from before this was sent, and so are the questions on this device.
  async function renewAll() {
    await import("../judging/kept.js").then(({ renew }) => renew(saved));
    // Nobody who follows a link meanwhile is held back.
    if (!isLeaving) location.reload();
  }

  function show(event = "idle", detail = null) {
    if (event === "saved") saved.push(detail.item);
    if (event === "idle" && saved.length && outbox.isEmpty()) return void renewAll().catch(() => {});
    // The place on a page that was left is nothing that anybody waits for.
    const isSent = !amountOf(outbox);
    if (says[event]) line.textContent = says[isSent ? "idle" : event]();
    if (event === "idle") leadToClash();
    // On the home page the line is there only while something waits.
    if ("quiet" in root.dataset) root.hidden = isSent;
    const isSafe = isSent && !refused().length;
    // Where rating ends the line is hidden from somebody who has sent nothing.
    if (!isSafe) paragraph.hidden = false;
    paragraph.classList.toggle("saved--off", !isSafe);
    paragraph.querySelector("use")?.setAttribute("href", isSafe ? "#i-check" : "#i-warn");
    showRefused();
  }

  const sender = openSender(outbox, person, show);
  guard(outbox, signal);
  for (const name of ["online", "focus"]) addEventListener(name, sender.tryNow);
  if (outbox.isEmpty()) show();
  else sender.kick();
}
