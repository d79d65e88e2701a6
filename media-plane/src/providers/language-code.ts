import { type CatalogueProvider, modelOf } from '@voice/shared/catalogue/providers';

/** Other codes by which vendors list a language (ISO 639): Bokmål and Nynorsk as Norwegian, Filipino as Tagalog. */
const OTHER_CODES: Readonly<Record<string, string>> = { nb: 'no', nn: 'no', fil: 'tl', tl: 'fil' };

/**
 * Returns the code by which a provider's model lists the language of a BCP 47 tag: its primary subtag, or another code
 * of the language where only that is listed. Pure.
 */
export function languageCode(
  tag: string,
  provider: Pick<CatalogueProvider, 'models' | 'takesAnyModel' | 'defaultModel'>,
  model: string,
): string {
  const primary = primaryLanguage(tag);
  const languages = modelOf(provider, model)?.languages ?? 'unlisted';
  const other = OTHER_CODES[primary];
  if (languages === 'unlisted' || other === undefined || languages.includes(primary)) return primary;
  return languages.includes(other) ? other : primary;
}

/** Returns the language without its region or script: `fil` of `fil-PH`. */
export function primaryLanguage(tag: string): string {
  return tag.split('-')[0]!.toLowerCase();
}
