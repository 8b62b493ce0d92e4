// Used by forms that send files (import, step 1):
//   <form data-controller="upload" data-largest="524288000"> <input type="file"> <p data-ref="message" hidden>
// Says before anything is sent that it is too large, and while it is sent that this takes a while.
// Without the script the server says the first, and the browser itself shows the second.
export default function connect(form) {
  const input = form.querySelector('input[type="file"]');
  const button = form.querySelector('button[type="submit"]');
  const message = form.querySelector('[data-ref="message"]');
  const words = button.textContent;

  function isTooLarge() {
    const size = [...input.files].reduce((sum, file) => sum + file.size, 0);
    message.hidden = size <= Number(form.dataset.largest);
    return !message.hidden;
  }

  input.addEventListener("change", isTooLarge);
  form.addEventListener("submit", (event) => {
    if (isTooLarge()) {
      event.preventDefault();
      input.focus();
      return;
    }
    button.setAttribute("aria-disabled", "true");
    button.textContent = input.multiple ? "Sending the files…" : "Sending the file…";
  });
  // Back from the next page: the browser may show this one as it was left.
  window.addEventListener("pageshow", () => {
    button.removeAttribute("aria-disabled");
    button.textContent = words;
  });
}
