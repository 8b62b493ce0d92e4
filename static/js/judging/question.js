// Used by the rating page.
// A question too long for its place ends in an ellipsis and a button that shows the rest.
import { t } from "../lib/words.js";

export function connectQuestion(root, { signal }) {
  const ask = root.querySelector(".ask");
  const heading = ask.querySelector("h1");
  const button = ask.querySelector('[data-ref="unfold"]');
  const [word] = button.childNodes;

  function show() {
    const isOpen = ask.classList.contains("ask--open");
    const isCut = !isOpen && (heading.scrollHeight > heading.clientHeight + 2 || heading.scrollWidth > heading.clientWidth + 2);
    ask.classList.toggle("ask--cut", isCut);
    button.hidden = !isOpen && !isCut;
    button.setAttribute("aria-expanded", String(isOpen));
    word.textContent = isOpen ? t("Less") : t("More");
  }

  function toggle() {
    if (button.hidden || String(getSelection())) return;
    ask.classList.toggle("ask--open");
    show();
  }

  for (const one of [button, heading]) one.addEventListener("click", toggle, { signal });
  const watch = new ResizeObserver(show);
  watch.observe(heading);
  signal.addEventListener("abort", () => watch.disconnect());
}
