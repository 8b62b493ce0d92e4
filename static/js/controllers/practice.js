// Used by the practice page: what is said of a grade is hidden while another grade is chosen.
export default function connect(form) {
  function show() {
    for (const answer of form.querySelectorAll(".ruled")) {
      const note = answer.querySelector(".note");
      const chosen = answer.querySelector("input:checked");
      if (note) note.hidden = chosen !== null && !chosen.defaultChecked;
    }
  }
  form.addEventListener("change", show);
  show();
}
