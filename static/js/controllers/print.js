// Used on the report. Shows its button, which opens the browser's print dialogue; without scripts it stays hidden.
export default function connect(button) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}
