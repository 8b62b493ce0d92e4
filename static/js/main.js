// Used on every page. Attaches a controller to each element that names one in `data-controller`
// (several names are separated by spaces). A controller is a module of static/js/controllers/ whose
// default export takes the element; it is fetched only on pages that use it. Names that are not in
// this list do nothing: no text of a page can choose what is loaded.
const controllers = {
  adjudication: () => import("./controllers/adjudication.js"),
  chart: () => import("./controllers/chart.js"),
  copy: () => import("./controllers/copy.js"),
  menu: () => import("./controllers/menu.js"),
  narrow: () => import("./controllers/narrow.js"),
  price: () => import("./controllers/price.js"),
  practice: () => import("./controllers/practice.js"),
  print: () => import("./controllers/print.js"),
  picture: () => import("./controllers/picture.js"),
  rating: () => import("./controllers/rating.js"),
  refresh: () => import("./controllers/refresh.js"),
  "sign-out": () => import("./controllers/sign-out.js"),
  theme: () => import("./controllers/theme.js"),
  times: () => import("./controllers/times.js"),
  upload: () => import("./controllers/upload.js"),
  waiting: () => import("./controllers/waiting.js"),
};

const attached = new WeakMap();
// What was fetched acts at once on the next part that names it: a key pressed in between would be lost.
const connects = new Map();

async function attach(element, name) {
  const names = attached.get(element) ?? new Set();
  if (!Object.hasOwn(controllers, name) || names.has(name)) return;
  attached.set(element, names.add(name));
  if (!connects.has(name)) connects.set(name, (await controllers[name]()).default);
  await connects.get(name)(element);
}

// Attaches everything inside `root`, itself included. Parts of a page that are replaced later
// announce themselves with the event `touchstone:replaced`. Resolves once all are attached.
export function attachAll(root) {
  const named = [...root.querySelectorAll("[data-controller]")];
  if (root instanceof Element && root.matches("[data-controller]")) named.unshift(root);
  return Promise.all(
    named.flatMap((element) =>
      element.dataset.controller.split(/\s+/).filter(Boolean).map((name) => attach(element, name)),
    ),
  );
}

document.addEventListener("touchstone:replaced", (event) => attachAll(event.target));

// The page is drawn before anything is fetched that only acts on it: nobody acts before they see it.
// A program that drives the page waits for `data-attached` on <html>.
async function start() {
  const modules = document.querySelector('meta[name="modules"]')?.content ?? "";
  for (const href of modules.split(" ").filter(Boolean)) {
    document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href }));
  }
  await attachAll(document).finally(() => {
    document.documentElement.dataset.attached = "";
  });
}

// A page that nobody sees draws no frame.
if (document.hidden) start();
else requestAnimationFrame(() => setTimeout(start));
