/** How an AI is called, in the languages whose words are listed here. */
const NAMES_OF_AN_AI: Readonly<Record<string, RegExp>> = {
  en: /\ba\.i\.|\b(?:ai|artificial|automated|automatic|virtual|digital|robot|bot|machine|computer|synthetic)\b/i,
  de: /\b(?:ki|ai|künstliche\w*|automatisch\w*|automatisiert\w*|virtuelle\w*|digitale\w*|roboter|bot|computer)\b/iu,
  fr: /\b(?:ia|ai|artificielle?|automatis\w*|automatique|virtuel\w*|numérique|robot|machine|ordinateur)\b/iu,
  es: /\b(?:ia|ai|artificial|automatizad\w*|automátic\w*|virtual|digital|robot|bot|máquina)\b/iu,
  it: /\b(?:ia|ai|artificiale|automatizzat\w*|automatic\w*|virtuale|digitale|robot|bot|macchina)\b/iu,
  pt: /\b(?:ia|ai|artificial|automatizad\w*|automátic\w*|virtual|digital|robot|bot|máquina)\b|\brobô/iu,
  nl: /\b(?:ai|kunstmatige|geautomatiseerde?|automatische?|virtuele?|digitale?|robot|bot|computer)\b/iu,
};

/**
 * Returns whether the words disclose that an AI speaks. In a language whose words are not listed, any text counts: it
 * cannot be judged here.
 *
 * @param language BCP 47, such as `en-US`
 */
export function namesAnAi(text: string, language: string): boolean {
  const names = NAMES_OF_AN_AI[language.split('-')[0]!.toLowerCase()];
  if (names === undefined) return text.trim() !== '';
  return names.test(text) || NAMES_OF_AN_AI.en!.test(text);
}
