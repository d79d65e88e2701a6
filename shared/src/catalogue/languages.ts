/**
 * The languages that at least one provider of the catalogue hears and speaks, by their primary subtag (ISO 639):
 * those of OpenAI's recogniser, which the other vendors' lists lie within but for Cantonese and Filipino.
 */
const LANGUAGES: ReadonlySet<string> = new Set(
  (
    'af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fil fo fr gl gu ha haw he hi hr ht hu ' +
    'hy id is it ja jv ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my nb ne nl nn no oc pa pl ps pt ' +
    'ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo yue zh'
  ).split(' '),
);

const REGIONS = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Returns whether the text is a BCP 47 tag of a language that providers know, in a region that there is. Pure. */
export function isSpokenLanguage(tag: string): boolean {
  try {
    const { language, region } = new Intl.Locale(tag);
    return LANGUAGES.has(language) && (region === undefined || REGIONS.of(region) !== undefined);
  } catch {
    return false;
  }
}
