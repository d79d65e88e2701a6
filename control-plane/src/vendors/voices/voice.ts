import type { ProviderChoice } from '@voice/shared/contracts/agent';

/** A voice as its vendor describes it. */
export interface Voice {
  readonly provider: string;
  /** As the vendor names it; unique within the provider. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** BCP 47, or primary subtags alone; empty where the voice speaks what its model speaks. */
  readonly languages: readonly string[];
  readonly gender: string | null;
  readonly accent: string | null;
  /** What an agent's `voice_config.tts` is with this voice. */
  readonly choice: ProviderChoice;
  /** A recording of it at the vendor; null without one. */
  readonly sample: string | null;
}

export interface VoiceFilter {
  readonly language?: string | undefined;
  readonly q?: string | undefined;
}

/** Returns those that speak the language and hold every word of the text. Pure. */
export function filterVoices(voices: readonly Voice[], { language, q = '' }: VoiceFilter): Voice[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = language === undefined ? undefined : primaryOf(language);
  return voices.filter((voice) => {
    if (wanted !== undefined && !speaks(voice, wanted)) return false;
    const { id, name, description, gender, accent } = voice;
    const text = [id, name, description, gender, accent].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function speaks({ languages }: Voice, wanted: string): boolean {
  return languages.length === 0 || languages.some((language) => primaryOf(language) === wanted);
}

/** Returns the primary subtag: `en` of `en-US`. */
function primaryOf(language: string): string {
  return language.toLowerCase().split(/[-_]/)[0]!;
}
