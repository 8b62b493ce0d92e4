// Used by the rating page.
// Where ratings are, in words, in the one polite live region of the page; and the amber bar while offline.
import { amountOf, whereKept, whyAway } from "./outbox.js";
import { steadily } from "./card.js";
import { inWords } from "../lib/dates.js";
import { refreshSession } from "../lib/http.js";
import { t } from "../lib/words.js";
const SLOW = 400;
// Words about a step stay this long, whatever happens to ratings meanwhile.
const HELD = 5000;
// So long a server is waited for, or is left alone before it is asked again.
const PATIENCE = 5000;
const WAITS = new Set(["sending", "saved", "offline", "retrying"]);
const AWAY = new Set(["offline", "retrying", "out"]);
const ICONS = { good: "check", off: "cloud", bad: "warn", none: "" };

const make = (name, properties) => Object.assign(document.createElement(name), properties);

function iconOf(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "i");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

export function openStatus(root, { outbox, signInUrl, tryNow, decide }) {
  const region = root.querySelector('[data-ref="status"]');
  const bar = document.querySelector('[data-ref="offline"]');
  const barText = document.querySelector('[data-ref="offline-text"]');
  let slow = 0;
  let held = 0;
  let over = 0;
  // Words about the question, not about a step: a new rating does not take their place.
  let lasts = false;
  let shown = null;
  // Words about a step that the server has not confirmed yet: they get their tick once it has.
  let unticked = false;
  // What these words are once nothing gets through, and what once it was sent.
  let both = null;
  // Whether these words say that something does not get through.
  let isBlocked = false;
  let isAway = false;

  function write(kind, text, extra) {
    clearTimeout(slow);
    clearTimeout(over);
    [unticked, both, isBlocked] = [false, null, false];
    region.classList.toggle("saved--off", kind === "off" || kind === "bad");
    const words = make("span", { className: "saved__words", textContent: text });
    region.replaceChildren(...(ICONS[kind] ? [iconOf(ICONS[kind])] : []), words, ...(extra ? [extra] : []));
  }

  function tick() {
    unticked = false;
    region.classList.remove("saved--off");
    region.querySelector("svg")?.remove();
    region.prepend(iconOf(ICONS.good));
  }

  function swap(kind, name) {
    if (!both) return;
    const now = both;
    write(kind, now[name], region.querySelector("a"));
    [unticked, both] = [true, now];
  }

  const link = (text, href) => make("a", { textContent: text, href, target: "_blank", rel: "noopener" });

  function button(text, act) {
    const one = make("button", { type: "button", textContent: text, className: "linklike" });
    one.addEventListener("click", act);
    return one;
  }

  // Why this page is shown, where another one was asked for (js/offline.js), until the server answers again.
  let led = root.dataset.kept === "on" ? new URLSearchParams(location.search).get("offline") : null;
  function stopWords(amount) {
    if (!amount) return t("You can stop here: nothing is lost.");
    if (outbox.isVolatile()) return t("Leave this tab open: your ratings are kept in it only.");
    return t("You can stop here. Open this site on this device when you are online again: it then sends %(amount)s.", { amount });
  }

  const offline = (isOn) => steadily(root, () => tellOffline(isOn));

  // Where only the server does not answer, trying again may help.
  function tellOffline(isOn) {
    bar.hidden = !isOn && !led;
    if (bar.hidden) return;
    const amount = amountOf(outbox);
    const project = root.dataset.projectName;
    const says = [whyAway()];
    if (led === "stop") says.push(stopWords(amount));
    if (led === "led") says.push(t("That page is not available now. You see a question of “%(project)s” instead.", { project }));
    if (amount && (outbox.isVolatile() || led !== "stop")) says.push(whereKept(outbox));
    // What was undone or cleared since is to be rated again.
    const isRated = root.dataset.rated && !root.querySelector(".ans:not(.ans--done, .ans--pass)");
    if (isRated) says.push(t("All questions on this device are rated. New ones come when the connection is back."));
    else if (!amount && led !== "stop") says.push(t("You can continue rating. Your ratings are sent when the connection is back."));
    barText.textContent = `${says.join(" ")} `;
    if (navigator.onLine) barText.append(button(t("Try now"), tryNow));
  }

  // Where nothing waits to be sent, no reply tells that the server answers again: it is asked.
  let asking = 0;
  async function askServer() {
    clearTimeout(asking);
    if (!led || !root.isConnected) return;
    if (await refreshSession(root.dataset.person, PATIENCE) === "away") {
      asking = setTimeout(askServer, PATIENCE);
      return;
    }
    led = null;
    offline(false);
  }

  const time = () => inWords(new Date(), { timeStyle: "short" });

  // A browser that stores nothing keeps ratings only as long as this page stays open.
  const where = () => (outbox.isVolatile() ? t("in this tab only, leave it open") : t("on this device"));
  // Not written where it is used: a sentence inside another's values is not found by the extraction.
  const state = () => (navigator.onLine ? t("Not sent") : t("Offline"));

  const says = {
    saved: () => write("good", t("Saved %(time)s", { time: time() })),
    idle: () => write("good", t("All ratings saved")),
    offline: () => write("off", !amountOf(outbox) ? (navigator.onLine ? t("No answer from the server") : t("Offline")) : t("%(state)s. Kept %(where)s: %(ratings)s", { state: state(), ratings: amountOf(outbox), where: where() })),
    retrying: () => write("bad", `${t("Not saved, retrying.")} `, button(t("Try now"), tryNow)),
    out: () => write("bad", `${t("Signed out.")} `, link(amountOf(outbox) ? t("Sign in to send %(ratings)s", { ratings: amountOf(outbox) }) : t("Sign in"), signInUrl)),
    refused: () => says.listed(t("Not accepted, so not saved: %(amount)s.", { amount: amountOf(outbox.refused) })),
    // What was not accepted is listed where a session ends.
    listed: (why) => write("bad", `${why} `, make("a", { href: `${root.dataset.rateUrl}/done#refused`, textContent: t("See details") })),
    clash: () => write("bad", `${t("You gave an answer two different ratings.")} `, button(t("Choose which rating to keep"), decide)),
    other: () => write("bad", `${t("Someone else is signed in.")} ${amountOf(outbox) && t("Kept on this device for you: %(amount)s.", { amount: amountOf(outbox) })}`),
  };

  const rest = () => says[outbox.refused.all().length ? "refused" : "idle"]();

  if (led) offline(true);

  return {
    write,
    // Whoever is about to stop while offline stays here and is told that they may.
    stop() {
      led = "stop";
      // Who stops waits for no page any more.
      if (isBlocked) {
        held = 0;
        says.offline();
      }
      offline(true);
      bar.scrollIntoView({ block: "nearest" });
    },
    // Something new is on its way: words about an earlier step are no news any more.
    release() {
      if (!lasts) held = 0;
    },
    // Words about a step, with a link to where it happened; `kept` is what they are while it waits on this device.
    say(text, where, kind = "good", isLasting = false, kept = "") {
      held = performance.now() + HELD;
      lasts = isLasting;
      const waits = kind === "good" && !outbox.isEmpty();
      const isKept = waits && (isAway || !navigator.onLine);
      write(isKept ? "off" : waits ? "none" : kind, isKept && kept || text, where && make("a", { href: where.href, textContent: where.text }));
      unticked = waits;
      if (waits && kept) both = { text, kept };
      isBlocked = kind === "off";
      // That a key did nothing is soon no news.
      if (kind === "none") over = setTimeout(() => (outbox.isEmpty() && !isAway ? rest : says[shown])?.(), HELD);
    },
    // Nothing waits any more: the bar goes, and the first words of a page appear.
    refused(why) {
      held = performance.now() + HELD;
      lasts = false;
      says.listed(why);
    },
    settled() {
      isAway = false;
      offline(false);
      askServer();
      swap("none", "text");
      clearTimeout(slow);
      if (unticked) tick();
      if (isBlocked) [held, shown] = [0, null];
      if (shown !== "saved" && performance.now() >= held) rest();
      shown = "saved";
    },
    show(state) {
      const calm = performance.now() < held;
      clearTimeout(slow);
      if (state === "saved") led = null;
      // Another try, while the bar is there, tells nothing yet: at the top of the page its going would move the answers.
      if (state !== "sending") offline(state === "offline");
      shown = state;
      if (AWAY.has(state)) isAway = true;
      else if (state === "saved") isAway = false;
      if (isAway) swap("off", "kept");
      if (calm && WAITS.has(state)) return;
      if (state === "sending") {
        slow = setTimeout(() => write("none", t("Saving…")), SLOW);
        return;
      }
      says[state]?.();
    },
  };
}
