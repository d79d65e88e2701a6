import type { ProviderChoice, VoiceConfig } from '@voice/shared/contracts/agent';

export const PROVIDER_KINDS = ['stt', 'llm', 'tts', 'realtime'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

interface CanonicalProvider {
  readonly kind: ProviderKind;
  readonly provider: string;
  /** Model families by the beginning of their names; an empty model means the provider's default. */
  readonly models: readonly string[] | 'any';
  readonly note: string;
}

/** The providers that the platform stands for. Anything else is accepted and marked experimental. */
export const canonicalProviders: readonly CanonicalProvider[] = [
  { kind: 'stt', provider: 'deepgram', models: ['nova-3', 'flux'], note: '' },
  { kind: 'stt', provider: 'openai', models: 'any', note: '' },
  { kind: 'stt', provider: 'local', models: 'any', note: 'keyless; understands simulated people only' },
  {
    kind: 'llm',
    provider: 'openai',
    models: 'any',
    note: 'and every compatible server by `params.base_url`',
  },
  { kind: 'llm', provider: 'local', models: 'any', note: 'keyless; a rule-based stand-in' },
  { kind: 'tts', provider: 'elevenlabs', models: 'any', note: '' },
  { kind: 'tts', provider: 'deepgram', models: 'any', note: '' },
  { kind: 'tts', provider: 'openai', models: 'any', note: '' },
  { kind: 'tts', provider: 'local', models: 'any', note: 'keyless; espeak-ng' },
  { kind: 'realtime', provider: 'openai', models: 'any', note: '' },
  { kind: 'realtime', provider: 'local', models: 'any', note: 'keyless' },
];

function isCanonical(kind: ProviderKind, provider: string, model: string): boolean {
  return canonicalProviders.some(
    (entry) =>
      entry.kind === kind &&
      entry.provider === provider &&
      (model === '' || entry.models === 'any' || entry.models.some((family) => model.startsWith(family))),
  );
}

type Choices = { readonly [kind in ProviderKind]?: ProviderChoice | undefined };

/** Whether any provider that the agent may use, as a fallback too, is outside the canonical matrix. */
export function isExperimental(...voices: readonly (VoiceConfig | Choices)[]): boolean {
  return voices.some((voice: Choices) =>
    PROVIDER_KINDS.some((kind) => {
      const choice = voice[kind];
      return choice !== undefined && !isCanonical(kind, choice.provider, choice.model);
    }),
  );
}

/** The matrix as a section of the API's description. */
export function providerMatrixSection(): string {
  const rows = canonicalProviders.map(({ kind, provider, models, note }) => {
    const named = models === 'any' ? 'any' : models.map((model) => `\`${model}\``).join(', ');
    return `| ${kind} | \`${provider}\` | ${named} | ${note} |`;
  });
  return [
    '## Provider matrix',
    'An agent that uses anything else is marked `experimental`.',
    '',
    '| Kind | Provider | Models | |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}
