// Used where rating ends and on the home page.
// What the server has not accepted: named one by one, with the reason, kept until it is sent again or dropped.
import { stateOf, words } from "./card.js";
import { amountOf } from "./outbox.js";
import { t } from "../lib/words.js";

// What the server will not take later either: others have the answers, or the step was changed since.
const FINAL = new Set(["id_reused", "nothing_left", "taken"]);
const isFinal = ({ code }) => FINAL.has(code);

// One entry in words: what was said, and of what.
function nameOf({ kind, letter = "", rest, body }) {
  if (body.reason === "cleared") return t("Answer %(letter)s: rating cleared", { letter });
  if (kind === "judgment") return t("Answer %(letter)s is %(rating)s", { letter, rating: words(stateOf(body)) });
  if (kind === "note") return t("Note on answer %(letter)s: “%(text)s”", { letter, text: body.text });
  if (kind === "flag") return body.flagged ? t("Answer %(letter)s is reported", { letter }) : t("Answer %(letter)s is not reported any more", { letter });
  if (kind === "flag-question") return body.flagged ? t("The question is reported") : t("The question is not reported any more");
  const graded = rest ? t("the lowest grade for the rest") : t("no good answer");
  const step = kind === "step" ? graded : t("can’t judge this question");
  return body.undo || body.reason === null ? t("Undo of “%(what)s”", { what: step }) : step;
}

function make(name, className, textContent = "") {
  return Object.assign(document.createElement(name), { className, textContent });
}

function button(text, act) {
  const one = make("button", "btn btn--s", text);
  one.type = "button";
  one.addEventListener("click", act);
  return one;
}

// `retry` sends what waits; `changed` hears that the list is another one.
export function openRefused(outbox, { retry, changed }) {
  const element = make("section", "note note--warn more");
  element.id = "refused";
  const heading = make("h2", "");
  heading.id = "refused-h";
  heading.tabIndex = -1;
  element.setAttribute("aria-labelledby", heading.id);
  const list = make("ul", "list small");
  const inner = make("div", "stack");
  const foot = make("p", "row");
  const advice = make("p", "");
  inner.append(heading, advice, list, foot);
  element.append(inner);

  function again() {
    for (const { key, why, code, ...item } of outbox.refused.all().filter((one) => !isFinal(one))) {
      outbox.add(item);
      outbox.remove(key);
    }
    heading.focus();
    changed("sending");
    retry();
  }

  function drop(key) {
    outbox.remove(key);
    heading.focus();
    changed();
  }

  function entry(item) {
    const name = nameOf(item);
    const where = t("in “%(query)s”", { query: item.query });
    const one = make("li", "row between");
    const line = make("p", "");
    line.append(make("b", "", name[0].toUpperCase() + name.slice(1)), ` ${where}: ${item.why ?? t("This was not accepted.")} `);
    const remove = button(t("Drop"), () => drop(item.key));
    remove.append(make("span", "vh", ` ${name}`));
    one.append(line, remove);
    return one;
  }

  foot.append(button(t("Try again"), again));
  return {
    element,
    show() {
      const items = outbox.refused.all();
      element.hidden = !items.length;
      heading.textContent = t("Not saved: %(amount)s", { amount: amountOf(outbox.refused) });
      foot.hidden = items.every(isFinal);
      advice.textContent = foot.hidden ? t("Only this device has a copy. Trying again would not help.") : t("Only this device has a copy. Try again, or drop it.");
      list.replaceChildren(...items.map(entry));
    },
  };
}
