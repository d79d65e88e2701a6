import {
  findProvider,
  isKnownModel,
  PROVIDER_KINDS,
  type ProviderKind,
} from '@voice/shared/catalogue/providers';
import { providerTable } from '@voice/shared/catalogue/tables';
import type { ProviderChoice, VoiceConfig } from '@voice/shared/contracts/agent';

type Choices = { readonly [kind in ProviderKind]?: ProviderChoice | undefined };

function isCanonical(kind: ProviderKind, { provider, model }: ProviderChoice): boolean {
  const entry = findProvider(kind, provider);
  return entry !== undefined && isKnownModel(entry, model);
}

/** Returns whether any provider that the agent may use, as a fallback too, is outside the canonical matrix. */
export function isExperimental(...voices: readonly (VoiceConfig | Choices)[]): boolean {
  return voices.some((voice: Choices) =>
    PROVIDER_KINDS.some((kind) => {
      const choice = voice[kind];
      return choice !== undefined && !isCanonical(kind, choice);
    }),
  );
}

/** Writes the matrix as a section of the API's description. */
export function providerMatrixSection(): string {
  return [
    '## Provider matrix',
    'What the media workers can run. An agent that uses anything else is saved as `experimental`, with `warnings`.',
    'Models are named by the beginning of their names. `GET /api/v1/providers` lists what is configured here.',
    '',
    providerTable(),
  ].join('\n');
}
