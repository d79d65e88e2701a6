/**
 * Returns the espeak-ng voices to try, best first. A voice is `en-us`, `en-us+f3` (with a variant: m1 to m8, f1 to f5,
 * croak, whisper …) or `+f3` alone, which varies the language's own voice.
 */
export function espeakVoices(voice: string, language: string): string[] {
  const [name = '', variant] = voice.trim().toLowerCase().split('+', 2);
  const suffix = variant ? `+${variant}` : '';
  if (name !== '') return [`${name}${suffix}`];
  const tag = language.trim().toLowerCase().replace('_', '-');
  const base = tag.split('-')[0] ?? '';
  return [...new Set([tag, base])].filter((entry) => entry !== '').map((entry) => `${entry}${suffix}`);
}

/** Chooses who speaks: the neural voice when it is named, or when no voice is named and it speaks the language. */
export function speakerOf(
  voice: string,
  language: string,
  neural: { readonly name: string; readonly language: string } | undefined,
): 'neural' | 'espeak' {
  if (!neural) return 'espeak';
  if (voice === neural.name) return 'neural';
  return voice === '' && baseOf(language) === baseOf(neural.language) ? 'neural' : 'espeak';
}

function baseOf(language: string): string {
  return language.trim().toLowerCase().split(/[-_]/)[0] ?? '';
}
