/** Regional tags that Deepgram knows (developers.deepgram.com, models and languages overview, and changelog). */
const REGIONAL: ReadonlySet<string> = new Set([
  'da-DK',
  'de-CH',
  'en-AU',
  'en-GB',
  'en-IN',
  'en-NZ',
  'en-US',
  'es-419',
  'fr-CA',
  'ko-KR',
  'nl-BE',
  'pt-BR',
  'pt-PT',
  'sv-SE',
  'th-TH',
  'zh-CN',
  'zh-HK',
  'zh-Hans',
  'zh-Hant',
  'zh-TW',
]);

/** Converts a BCP 47 tag to Deepgram's `language`: it refuses regions that it does not know, such as `de-DE`. */
export function deepgramLanguage(tag: string): string {
  return REGIONAL.has(tag) ? tag : primaryLanguage(tag);
}

/** Returns the language without its region or script: `fil` of `fil-PH`. */
export function primaryLanguage(tag: string): string {
  return tag.split('-')[0]!.toLowerCase();
}
