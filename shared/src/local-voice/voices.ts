/**
 * The espeak-ng voices to try, best first. A voice is `en-us`, `en-us+f3` (with a variant: m1 to m8, f1 to
 * f5, croak, whisper …) or `+f3` alone, which varies the language's own voice.
 */
export function espeakVoices(voice: string, language: string): string[] {
  const [name = '', variant] = voice.trim().toLowerCase().split('+', 2);
  const suffix = variant ? `+${variant}` : '';
  if (name !== '') return [`${name}${suffix}`];
  const tag = language.trim().toLowerCase().replace('_', '-');
  const base = tag.split('-')[0] ?? '';
  return [...new Set([tag, base])].filter((entry) => entry !== '').map((entry) => `${entry}${suffix}`);
}
