// Used by the history of scores: makes a PNG of the chart that the server draws as SVG.
//   <a data-controller="picture" href="/p/x/overview/history.svg" data-name="x-history.png" hidden>
// The drawing comes from the site itself, so the policy lets it in, and the canvas stays readable.
const SCALE = 2;

async function drawn(url) {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * SCALE;
  canvas.height = image.naturalHeight * SCALE;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => { canvas.toBlob(done, "image/png"); });
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

export default function connect(link) {
  link.hidden = false;
  link.addEventListener("click", async (event) => {
    event.preventDefault();
    try {
      save(await drawn(link.href), link.dataset.name);
    } catch {
      // A browser that cannot draw it still gets the drawing itself.
      location.assign(link.href);
    }
  });
}
