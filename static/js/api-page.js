// Used on /api. Draws the description of the API with the viewer of static/vendor/swagger-ui, in the page's theme.
const place = document.getElementById("api");
const page = document.documentElement;
const night = matchMedia("(prefers-color-scheme: dark)");

function followTheme() {
  const theme = page.dataset.theme;
  page.classList.toggle("dark-mode", theme === "dark" || (theme !== "light" && night.matches));
}

followTheme();
night.addEventListener("change", followTheme);
new MutationObserver(followTheme).observe(page, { attributeFilter: ["data-theme"] });

window.SwaggerUIBundle({
  url: place.dataset.description,
  domNode: place,
  deepLinking: true,
  // Nothing is asked of any other site.
  validatorUrl: null,
  defaultModelsExpandDepth: -1,
  docExpansion: "list",
});
