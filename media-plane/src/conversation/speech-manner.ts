import type { ModelCapability } from '@voice/shared/catalogue/provider-entry';
import { findProvider, modelOf } from '@voice/shared/catalogue/providers';
import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { SpeechManner } from './spoken-text/spoken-text.js';

/**
 * Returns what has to be done to texts for a voice, as the catalogue knows it. What either voice cannot read is written
 * out: words are right for both.
 */
export function speechManner(
  language: string,
  voice: ProviderChoice,
  fallback: ProviderChoice | undefined,
): SpeechManner {
  return {
    language,
    writesOut: !can(voice, 'reads_figures') || (fallback !== undefined && !can(fallback, 'reads_figures')),
    startsMidClause: can(voice, 'starts_mid_clause'),
  };
}

function can({ provider, model }: ProviderChoice, capability: ModelCapability): boolean {
  const entry = findProvider('tts', provider);
  return entry !== undefined && (modelOf(entry, model)?.capabilities.includes(capability) ?? false);
}
