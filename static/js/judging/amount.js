// Used by the rating page, where rating rests, on the home page, and on signing out.
// How much waits on this device, in words: ratings, and changes of other kinds (notes, flags, questions left).
import { t, tn } from "../lib/words.js";

// Of one outbox or, where somebody adjudicates as well, of two.
export function amountOf(...outboxes) {
  const sum = (count) => outboxes.reduce((total, outbox) => total + count(outbox), 0);
  const n = sum((outbox) => outbox.count());
  const rest = sum((outbox) => outbox.all().length) - n;
  const ratings = tn(n, "%(n)s rating", "%(n)s ratings");
  const changes = tn(rest, "%(n)s change", "%(n)s changes");
  if (!rest) return ratings;
  return n ? t("%(ratings)s and %(changes)s", { ratings, changes }) : changes;
}
