// Used by the account menu (templates/layouts/base.html) and any other <details> that acts as a menu.
// Without scripts it opens and closes by its summary; here also by Escape and by a press outside.
export default function connect(details) {
  const face = details.querySelector("summary");

  document.addEventListener("click", (event) => {
    if (details.open && !details.contains(event.target)) details.open = false;
  });

  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !details.open) return;
    details.open = false;
    face.focus();
  });

  details.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !details.contains(event.relatedTarget)) details.open = false;
  });
}
