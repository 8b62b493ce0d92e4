// Used by the rating page.
// The guidelines and the list of keys: open beside the answers while somebody rates, or, where there is no room
// beside, over them.
const NARROW = "(max-width: 63.99rem)";
const shown = () => document.querySelector(".drawer:popover-open");

export function openDrawers(focus, signal) {
  for (const drawer of document.querySelectorAll(".drawer")) {
    // Without scripts a press outside closes it.
    drawer.popover = "manual";
    drawer.addEventListener("beforetoggle", async ({ newState }) => {
      const from = document.activeElement;
      if (newState === "open") (await import("./drawers.js")).onOpen(drawer, from);
    }, { signal });
  }

  const close = () => shown()?.hidePopover();

  return {
    close,
    // By a key the focus goes along, and comes back: whoever has no mouse scrolls the guidelines there.
    toggle(id) {
      focus.hurry();
      const was = shown()?.id;
      close();
      if (was === id) return;
      const drawer = document.getElementById(id);
      drawer.showPopover();
      drawer.querySelector("h2").focus();
    },
    // Where one covers the answers it makes room for them. Returns whether it did.
    uncover() {
      const covers = shown() && matchMedia(NARROW).matches;
      if (covers) close();
      return Boolean(covers);
    },
  };
}

// The guidelines stand beside the answers: those that came with the next question take their place, or the next
// question learns which ones are on the screen.
export function bringGuidelines(root, next, fresh) {
  if (Number(next.dataset.guidelines) > Number(root.dataset.guidelines)) {
    document.getElementById("guide").replaceChildren(...document.importNode(fresh.getElementById("guide"), true).childNodes);
  } else {
    next.dataset.guidelines = root.dataset.guidelines;
    next.querySelector('[data-ref="changed"]')?.remove();
  }
}
