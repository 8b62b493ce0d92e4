// Used beside links that people pass on (invitations, shared dashboards): templates/macros/forms.html, copy_line.
// The field stays selectable without scripts; the button copies it and says so.
import { t } from "../lib/words.js";
const SAID_FOR = 2500;

export default function connect(line) {
  const field = line.querySelector("input");
  const button = line.querySelector("button");
  const status = line.querySelector('[role="status"]');

  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(field.value);
      status.textContent = t("Copied");
    } catch {
      field.select();
      status.textContent = t("Press Ctrl+C to copy");
    }
    setTimeout(() => { status.textContent = ""; }, SAID_FOR);
  });
}
