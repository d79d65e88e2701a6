import { english } from './english.js';
import { FRENCH } from './french.js';
import { GERMAN } from './german.js';
import { spanish } from './spanish.js';
import type { SpokenLanguage } from './spoken-language.js';

/** Returns how numbers and signs are said in the language (BCP 47); undefined where nobody has written that down. */
export function findSpokenLanguage(tag: string): SpokenLanguage | undefined {
  const [language = '', ...subtags] = tag.split('-');
  const region = subtags.find((subtag) => /^[A-Za-z]{2}$/.test(subtag))?.toUpperCase();
  switch (language.toLowerCase()) {
    case 'en':
      return english(region);
    case 'de':
      return GERMAN;
    case 'es':
      return spanish(region);
    case 'fr':
      return FRENCH;
    default:
      return undefined;
  }
}
