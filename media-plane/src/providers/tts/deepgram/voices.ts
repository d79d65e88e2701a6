/** The vendor's voice for a language whose agent names none (developers.deepgram.com, "Voices and Languages"). */
const VOICE_BY_LANGUAGE: Readonly<Record<string, string>> = {
  en: 'aura-2-thalia-en',
  es: 'aura-2-celeste-es',
  de: 'aura-2-viktoria-de',
  fr: 'aura-2-agathe-fr',
  nl: 'aura-2-rhea-nl',
  it: 'aura-2-livia-it',
  ja: 'aura-2-izanami-ja',
};
export const DEFAULT_MODEL = 'aura-2-thalia-en';

/** Returns the voice of an agent: a model is a voice in one language. */
export function voiceOf(model: string, language: string): string {
  if (model !== '') return model;
  return VOICE_BY_LANGUAGE[language.split('-')[0]!.toLowerCase()] ?? DEFAULT_MODEL;
}
