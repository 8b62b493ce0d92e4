// Used by every script that says something.
// Texts are written in English; a page in another language brings its own words for them (templates/layouts/bare.html).
// `%(name)s` stands for a value. With `tn` a number chooses between two forms; more than two no language here has.
const words = JSON.parse(document.documentElement.dataset.words ?? "{}");
const numbers = new Intl.NumberFormat(document.documentElement.lang);
const forms = new Intl.PluralRules(document.documentElement.lang);
const written = (value) => (typeof value === "number" ? numbers.format(value) : value);
const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => written(values[name]));

export const t = (text, values = {}) => fill(words[text] ?? text, values);
export const tn = (n, one, many, values = {}) => fill((words[one] ?? [one, many])[forms.select(n) === "one" ? 0 : 1], { n, ...values });
