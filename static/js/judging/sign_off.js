// Used by the rating page.
// Leaving a question: done, for later, not for me; and leaving the page while something waits to be sent.
import { at, load, send } from "../lib/http.js";
import { words } from "./card.js";
import { amountOf } from "./outbox.js";
import { t, tn } from "../lib/words.js";

// Whoever has asked waits no longer than this for a number.
const PATIENCE = 4000;

export function connectSignOff(ratingState, { signal, input, outbox, ahead, steps, focus, say, leave, decide }) {
  const { root, ref, hasBetter } = ratingState;
  const on = (element, name, act) => element?.addEventListener(name, (event) => {
    event.preventDefault();
    act(event);
  }, { signal });
  // Fetched ahead of need together with the next questions (prefetch.js): it waits where none is here.
  let wait = null;
  // What the sender has said since somebody asked to go on.
  let [isIdle, isAway] = [false, false];
  // The next question is taken, not only looked at: the same as without scripts.
  function take() {
    const form = Object.assign(document.createElement("form"), { method: "post", action: root.dataset.rateUrl });
    form.append(root.querySelector('input[name="csrf_token"]').cloneNode());
    document.body.append(form);
    form.submit();
  }
  async function startWait() {
    const kept = ratingState.isMarked() ? t("Marked “can’t judge”") : t("Kept");
    try {
      const { openWait } = await load("waiting");
      wait ??= openWait({ outbox, signal, say, move: take });
      wait.start(kept);
      if (isIdle) onIdle();
      if (isAway) wait.tell();
    } catch {
      say(t("%(kept)s. The next page needs a connection", { kept }), null, "off");
    }
  }

  function open(note) {
    note.hidden = false;
    note.focus();
  }

  // The server must know all of this question before it is asked for the next one.
  async function go(message) {
    [isIdle, isAway] = [false, false];
    if (message) ratingState.put(message);
    await ahead.resumed;
    ahead.leave(message?.body.state === "parked");
    if (ahead.has() && ahead.show(leave)) return;
    await startWait();
  }

  const state = (name) => ({ kind: "state", url: `${ratingState.url}/state`, body: { state: name } });
  const stars = () => words({ grade: Number(root.dataset.lowest), reason: null });
  // What is left in other parts of this question was said before the question at hand was prefetched, or others were
  // rated: it is asked for. Null where nobody knows it: offline, or while something has still to be sent.
  async function countElsewhere() {
    if (root.dataset.split !== "on") return 0;
    if (!navigator.onLine || !outbox.isEmpty()) return root.dataset.given === "on" ? 0 : null;
    try {
      const reply = await send(at(`${ratingState.url}/left`), { headers: { "X-Touchstone-Person": root.dataset.person }, cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
      const { elsewhere, better_elsewhere: isBetter } = await reply.json();
      if (!Number.isInteger(elsewhere)) return null;
      root.dataset.better = isBetter ? "on" : "off";
      return elsewhere;
    } catch {
      return null;
    }
  }

  let elsewhere = 0;
  let isAsking = false;
  // Which of its two names the button had when it was pressed.
  let isRest = false;
  let asked = null;
  const rest = () => `${ratingState.left().length} ${hasBetter()}`;
  async function askNone() {
    if (isAsking) return;
    isAsking = true;
    ratingState.cards.forEach((card) => card.settle());
    isRest = hasBetter();
    elsewhere = await countElsewhere();
    isAsking = false;
    if (signal.aborted) return;
    const here = ratingState.left().length;
    asked = rest();
    if (elsewhere === null) {
      ref("ask-rest").textContent = t("Give %(stars)s to all unrated answers of this question?", { stars: stars() });
      ref("ask-elsewhere").textContent = t("If it has other parts, unrated answers there get it too.");
    } else {
      const all = here + elsewhere;
      ref("ask-rest").textContent = tn(all, "Give %(stars)s to %(n)s unrated answer of this question?", "Give %(stars)s to all %(n)s unrated answers of this question?", { stars: stars() });
      ref("ask-elsewhere").textContent = elsewhere ? t("On this page: %(here)s. In other parts, which you may not have seen: %(elsewhere)s.", { here, elsewhere }) : "";
    }
    if (elsewhere !== 0) open(ref("ask-sure"));
    else if (here) none();
    else {
      say(t("All answers done"));
      focus.finish();
    }
  }

  function none() {
    steps.noGoodAnswer(input(), elsewhere, isRest);
    focus.finish();
  }

  on(root.querySelector(".act"), "submit", () => {
    if (wait?.isOn()) return;
    ratingState.cards.forEach((card) => card.settle());
    if (ratingState.isMarked() || ratingState.isRetired()) go(null);
    else if (ratingState.left().length) open(ref("ask-later"));
    else go(state("done"));
  });
  on(root.querySelector('[data-act="later"]'), "submit", () => go(state("parked")));
  on(root.querySelector('[data-act="stay"]'), "click", () => { ref("ask-later").hidden = true; });
  on(root.querySelector("#none"), "submit", askNone);
  on(root.querySelector('[data-act="sure"]'), "submit", () => {
    ref("ask-sure").hidden = true;
    none();
  });
  on(root.querySelector('[data-act="unsure"]'), "click", () => {
    ref("ask-sure").hidden = true;
    root.querySelector('[data-act="none"]').focus();
  });
  on(root.querySelector(".cant-all form"), "submit", (event) => {
    event.target.parentElement.open = false;
    steps.decline(event.submitter.value, input());
    focus.finish();
    ahead.forget();
    go(null);
  });
  on(ref("declined").querySelector("form"), "submit", () => {
    steps.takeBack();
    focus.onward();
  });
  ratingState.onChange((left) => {
    const label = ref("none");
    if (label) {
      label.textContent = label.dataset[!hasBetter() ? "all" : left ? "rest" : "parts"];
      label.parentElement.classList.toggle("is-over", !left && (root.dataset.others !== "on" || root.dataset.given === "on"));
    }
    if (!left) ref("ask-later").hidden = true;
    // It names what was left when it was opened.
    if (rest() !== asked) ref("ask-sure").hidden = true;
    tellLeft(left);
  });

  // Where nothing else is waiting, a page that is left for later would come again at once.
  function tellLeft(left) {
    const isLast = ahead.isLast();
    ref("ask-left").textContent = isLast ? t("%(left)s left, and nothing else waits in this project. Stop here?", { left }) : t("%(left)s left. Leave this page for later?", { left });
    // What is not left for later may go to somebody else within the hour.
    ref("leave").hidden = ref("reserved").hidden = isLast;
    ref("stop").hidden = !isLast;
  }

  // One rule, wherever the page comes from: "part" where the same question goes on, and else "question", if there is one.
  ahead.onChange(() => {
    tellLeft(ratingState.left().length);
    const isSame = ahead.asksSame();
    ref("next-word").textContent = isSame ? t("Next part") : ahead.isLast() ? t("Finish") : t("Next question");
    ref("next-is").textContent = isSame ? t("Next: more answers to this question.") : "";
  });

  // Everything has reached the server: a question that was left makes room for the next. Or all that is left here
  // waits for a decision.
  function onIdle() {
    isIdle = true;
    if (outbox.isEmpty()) wait?.check();
    else if (wait?.stop()) decide();
  }

  return {
    onIdle,
    onAway() {
      isAway = true;
      wait?.tell();
    },
  };
}

// Whoever leaves the site hears first what has not been sent; whoever signs out has heard it.
export function guard(outbox, signal) {
  addEventListener("beforeunload", (event) => {
    if (amountOf(outbox) && !("signsOut" in document.body.dataset)) event.preventDefault();
  }, { signal });
}
