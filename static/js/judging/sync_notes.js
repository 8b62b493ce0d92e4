// Used by the rating page.
// What the server has confirmed of one batch, kept on this device. A page can be older than that: it was kept for
// going on offline, or asked for just before the last rating arrived. No clock tells (they jump): each note names
// the ratings that it came after, and only a page that shows one of those learns of it.
import { same } from "./card.js";

const PREFIX = "touchstone.noted.";
const LONGEST = 50;

export function openNoteSync({ person, project, batch }) {
  const name = `${PREFIX}${person}.${project}.${batch}`;
  const load = () => {
    try {
      return JSON.parse(localStorage.getItem(name)) ?? [];
    } catch {
      return [];
    }
  };

  // Brings a page up to what is known here, but no stars that somebody is passing over just now.
  function recall(ratingState) {
    for (const [answer, stored, behind] of load()) {
      const card = ratingState.byAnswer.get(answer);
      if (!card || !(behind.includes(card.last) || stored.last === card.last)) continue;
      for (const id of behind) card.behind.add(id);
      if (stored.last !== card.last && same(card.picked(), card.state)) ratingState.settle(answer, stored.last, stored.state);
    }
  }

  return {
    // Now, and whenever another tab of this device has saved or decided something.
    follow(ratingState, signal) {
      recall(ratingState);
      addEventListener("storage", ({ key }) => { if (key === name) recall(ratingState); }, { signal });
    },
    // Of the batches that were left, nothing stays.
    note(cards) {
      const rated = cards.filter((card) => card.behind.size);
      try {
        for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX) && key !== name) localStorage.removeItem(key);
        localStorage.setItem(name, JSON.stringify(rated.map(({ answer, stored, behind }) => [answer, stored, [...behind].slice(-LONGEST)])));
      } catch {
        // No room: the server knows, and asks where this page would overwrite something.
      }
    },
  };
}
