// Used wherever a script writes a date or a time. English is British, as on the server (app/services/translations.py).
export function inWords(moment, shown) {
  const { lang } = document.documentElement;
  return new Intl.DateTimeFormat(lang === "en" ? "en-GB" : lang, shown).format(moment);
}
