import {
  findProvider,
  isKnownModel,
  PROVIDER_CATALOGUE,
  PROVIDER_KINDS,
  type ProviderKind,
  VENDORS,
} from '@voice/shared/catalogue/providers';
import type { ProviderChoice, VoiceConfig } from '@voice/shared/contracts/agent';

type Choices = { readonly [kind in ProviderKind]?: ProviderChoice | undefined };

function isCanonical(kind: ProviderKind, { provider, model }: ProviderChoice): boolean {
  const entry = findProvider(kind, provider);
  return entry !== undefined && isKnownModel(entry, model);
}

/** Whether any provider that the agent may use, as a fallback too, is outside the canonical matrix. */
export function isExperimental(...voices: readonly (VoiceConfig | Choices)[]): boolean {
  return voices.some((voice: Choices) =>
    PROVIDER_KINDS.some((kind) => {
      const choice = voice[kind];
      return choice !== undefined && !isCanonical(kind, choice);
    }),
  );
}

/** The matrix as a section of the API's description. */
export function providerMatrixSection(): string {
  const rows = PROVIDER_CATALOGUE.map(({ kind, name, vendor, defaultModel, models, note }) => {
    const named = models === 'any' ? 'any' : models.map((model) => `\`${model}\``).join(', ');
    const used = defaultModel === '' ? '' : `\`${defaultModel}\``;
    const key = vendor === null ? 'none' : `\`${VENDORS[vendor].key}\``;
    return `| ${kind} | \`${name}\` | ${named} | ${used} | ${key} | ${note} |`;
  });
  return [
    '## Provider matrix',
    'What the media workers can run. An agent that uses anything else is saved as `experimental`, with `warnings`.',
    'Models are named by the beginning of their names. `GET /api/v1/providers` tells what is configured here.',
    '',
    '| Kind | Provider | Models | Default model | Key | |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
