// Used by the rating page.
// Leaving a question: done, for later, not for me; and leaving the page while something waits to be sent.
import { openWait } from "./waiting.js";
import { t } from "../lib/words.js";

export function connectLeaving(desk, { signal, input, outbox, ahead, steps, say, leave }) {
  const { root, ref } = desk;
  const on = (element, name, act) => element?.addEventListener(name, (event) => {
    event.preventDefault();
    act(event);
  }, { signal });
  const wait = openWait({ outbox, signal, say, move: () => location.assign(root.dataset.rateUrl) });

  function open(note) {
    note.hidden = false;
    note.focus();
  }

  // The server must know all of this question before it is asked for the next one.
  async function go(message) {
    if (message) desk.put(message);
    await ahead.resumed;
    ahead.leave();
    if (ahead.has() && ahead.show(leave)) return;
    wait.start();
  }

  const state = (name) => ({ kind: "state", url: `${desk.url}/state`, body: { state: name } });
  const none = () => steps.noGoodAnswer(input());
  const highest = Number(root.dataset.highest);

  on(root.querySelector(".act"), "submit", () => {
    if (wait.isOn()) return;
    desk.cards.forEach((card) => card.settle());
    if (desk.left().length) open(ref("ask-later"));
    else go(state("done"));
  });
  on(root.querySelector('[data-act="later"]'), "submit", () => go(state("parked")));
  on(root.querySelector('[data-act="stay"]'), "click", () => { ref("ask-later").hidden = true; });
  on(root.querySelector("#none"), "submit", () => {
    desk.cards.forEach((card) => card.settle());
    if (!desk.left().length) say(t("Every answer is rated or passed"));
    else if (desk.cards.some((card) => card.state.grade === highest)) open(ref("ask-sure"));
    else none();
  });
  on(root.querySelector('[data-act="sure"]'), "submit", () => {
    ref("ask-sure").hidden = true;
    none();
  });
  on(root.querySelector('[data-act="unsure"]'), "click", () => { ref("ask-sure").hidden = true; });
  on(root.querySelector(".cant-all form"), "submit", (event) => {
    steps.decline(event.submitter.value, input());
    go(null);
  });
  desk.onChange((left) => {
    if (ref("left-count")) ref("left-count").textContent = left;
    if (!left) ref("ask-later").hidden = true;
  });

  return {
    // Everything has reached the server: a question that was left makes room for the next.
    onIdle: wait.check,
    onAway: wait.tell,
  };
}

// Whoever leaves the site hears first what has not been sent.
export function guard(outbox, signal) {
  addEventListener("beforeunload", (event) => {
    if (!outbox.isEmpty()) event.preventDefault();
  }, { signal });
}
