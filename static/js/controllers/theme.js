// Used in the header of every page (templates/layouts/base.html). The switch is a form that posts and
// comes back; here the change is instant and the same form is sent behind it, so the cookie follows.
import { send } from "../lib/http.js";

function shown() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen) return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export default function connect(form) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const theme = shown() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    const body = new FormData(form);
    body.set("theme", theme);
    // The reply is a redirect back to this page: there is no need to follow it.
    await send(form.action, { method: "POST", body, redirect: "manual" }).catch(() => {
      // Offline: the page keeps the new look, the next page will not know of it.
    });
  });
}
