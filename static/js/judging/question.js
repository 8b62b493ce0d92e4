// Used by the rating page.
// A question too long for its place ends in an ellipsis and a button that shows the rest. What the page scrolls to
// begins below the question, however high that is.
import { t } from "../lib/words.js";

const GAP = 8;

export function connectQuestion(root, { signal }) {
  const ask = root.querySelector(".ask");
  const heading = ask.querySelector("h1");
  const button = ask.querySelector('[data-ref="unfold"]');
  const [word] = button.childNodes;

  function show() {
    const isOpen = ask.classList.contains("ask--open");
    const isCut = !isOpen && (heading.scrollHeight > heading.clientHeight + 2 || heading.scrollWidth > heading.clientWidth + 2);
    button.hidden = !isOpen && !isCut;
    button.setAttribute("aria-expanded", String(isOpen));
    word.textContent = isOpen ? t("Less") : t("More");
  }

  const height = new CSSStyleSheet();
  document.adoptedStyleSheets.push(height);
  const measure = () => height.replaceSync(`html { --ask: ${ask.offsetHeight + GAP}px; }`);

  function toggle() {
    if (button.hidden || String(getSelection())) return;
    ask.classList.toggle("ask--open");
    show();
  }

  for (const one of [button, heading]) one.addEventListener("click", toggle, { signal });
  const watch = new ResizeObserver(() => (show(), measure()));
  for (const one of [heading, ask]) watch.observe(one);
  measure();
  signal.addEventListener("abort", () => {
    watch.disconnect();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== height);
  });
}
