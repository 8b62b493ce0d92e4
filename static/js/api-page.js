// Used on /api. Draws the description of the API with the viewer of static/vendor/swagger-ui.
const place = document.getElementById("api");

window.SwaggerUIBundle({
  url: place.dataset.description,
  domNode: place,
  deepLinking: true,
  // Nothing is asked of any other site.
  validatorUrl: null,
  defaultModelsExpandDepth: -1,
  docExpansion: "list",
});
