import { deepgramSpeechToText } from '@voice/shared/catalogue/vendors/deepgram';
import { languageCode } from '../../language-code.js';

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

/** What it lists as Chinese of Hong Kong (developers.deepgram.com, changelog, 17 March 2026). */
const CANTONESE = 'yue';

/** Converts a BCP 47 tag to Deepgram's `language`: it refuses regions that it does not know, such as `de-DE`. */
export function deepgramLanguage(tag: string, model: string): string {
  if (REGIONAL.has(tag)) return tag;
  const code = languageCode(tag, deepgramSpeechToText, model);
  return code === CANTONESE ? 'zh-HK' : code;
}
