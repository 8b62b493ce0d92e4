// Used by the rating page.
// What comes or goes above the answers by itself moves none of them: somebody may be about to choose a star, and
// would choose one of another answer. The window is scrolled by what `change` added or took.
export function steadily(root, change) {
  const seen = [...root.querySelectorAll("[data-answer]")].find((one) => one.getBoundingClientRect().bottom > 0);
  const before = seen?.getBoundingClientRect().top;
  change();
  if (seen) scrollBy({ top: seen.getBoundingClientRect().top - before, behavior: "instant" });
}
