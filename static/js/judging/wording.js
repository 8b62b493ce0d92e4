// Used by the rating page.
// The question got other words while it was rated, or was retired: the page shows it as it is now, and says so.
import { at } from "../lib/http.js";
import { steadily } from "./card.js";
import { t } from "../lib/words.js";

// The pages of retired questions of which that was said: once is enough.
const told = new Set();
const pageOf = ({ project, batch }) => at(`/p/${project}/rate/${batch}`);
let isReading = false;

function swap(root, fresh, selector, insert) {
  const [old, next] = [root, fresh].map((main) => main.querySelector(selector));
  if (old && next) old.replaceWith(next);
  else if (next) insert(next);
  else old?.remove();
}

function show({ root, ref }, fresh) {
  const [heading, next] = [root, fresh].map((main) => main.querySelector(".ask h1"));
  const words = (main) => [".ask h1", ".ask__more p", '[data-ref="aim"]'].map((one) => main.querySelector(one)?.textContent).join("\n");
  const line = ref("told");
  const isReworded = words(root) !== words(fresh);
  heading.textContent = next.textContent;
  heading.className = next.className;
  heading.tabIndex = next.tabIndex;
  swap(root, fresh, '[data-ref="aim"]', (one) => ref("status").before(one));
  swap(root, fresh, ".ask__more", (one) => root.querySelector(".ask__in").append(one));
  if (ref("search")) ref("search").href = fresh.querySelector('[data-ref="search"]').href;
  line.textContent = fresh.querySelector('[data-ref="told"]').textContent || (isReworded ? t("The question’s words were changed. Check what you rated.") : "");
  line.hidden = !line.textContent;
  root.dataset.wording = fresh.dataset.wording;
}

export async function readAgain(ratingState, ahead) {
  if (isReading) return;
  isReading = true;
  try {
    const reply = await fetch(`${pageOf(ratingState)}?ahead=1`, { credentials: "same-origin", cache: "no-store" });
    if (!reply.ok || reply.redirected) return;
    const fresh = new DOMParser().parseFromString(await reply.text(), "text/html").querySelector("main[data-batch]");
    if (!fresh || !ratingState.root.isConnected) return;
    steadily(ratingState.root, () => show(ratingState, fresh));
    if (ratingState.isRetired()) told.add(pageOf(ratingState));
    // Its other parts were fetched with the words of before, or are for nobody.
    await ahead.forget();
    ratingState.tally();
  } finally {
    isReading = false;
  }
}

// What was rated on another page has arrived, and its question is retired by now.
export function tellElsewhere(item, say) {
  if (told.has(pageOf(item))) return;
  told.add(pageOf(item));
  say(t("“%(question)s” was retired. Ratings of it are kept but do not count.", { question: item.query }), null, "bad", true);
}
