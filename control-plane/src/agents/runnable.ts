import {
  findProvider,
  isKnownModel,
  PROVIDER_KINDS,
  type ProviderKind,
  providerNames,
  VENDORS,
} from '@voice/shared/catalogue/providers';
import type { AgentSnapshot, ProviderChoice } from '@voice/shared/contracts/agent';
import type { Config } from '../config.js';
import { apiError } from '../platform/http/error-codes.js';

type Voices = Pick<AgentSnapshot, 'voice_config' | 'fallback_voice_config'>;

/** Why a provider of an agent cannot run in this installation, and what to do about it. */
export interface ProviderProblem {
  readonly kind: ProviderKind;
  readonly provider: string;
  readonly reason: string;
  readonly remedy: string;
}

/** What hinders one choice; null: it can run. A key or server that the agent brings itself counts. Pure. */
export function problemOf(
  kind: ProviderKind,
  { provider, params }: ProviderChoice,
  vendors: Config['vendors'],
): ProviderProblem | null {
  const entry = findProvider(kind, provider);
  if (!entry) {
    const remedy = `use one of: ${providerNames(kind).join(', ')}`;
    return { kind, provider, reason: `the media workers have no ${kind} provider of this name`, remedy };
  }
  if (entry.vendor === null) return null;
  const { apiKey, url } = vendors[entry.vendor];
  // Recognisers and voices are reached by this installation's accounts only.
  const own =
    (kind === 'llm' || kind === 'realtime') &&
    (params.api_key !== undefined || params.base_url !== undefined);
  const reachable = apiKey !== undefined || (entry.needs === 'key_or_url' && url !== undefined);
  if (own || reachable) return null;
  const { key } = VENDORS[entry.vendor];
  const bring = kind === 'llm' || kind === 'realtime' ? ', or give the agent its own `params.api_key`' : '';
  return { kind, provider, reason: 'this installation has no key for it', remedy: `set ${key}${bring}` };
}

/** What hinders the agent's first choices. Pure. */
export function problemsOf({ voice_config: voice }: Voices, vendors: Config['vendors']): ProviderProblem[] {
  const choices: { readonly [kind in ProviderKind]?: ProviderChoice } = voice;
  return PROVIDER_KINDS.flatMap((kind) => {
    const choice = choices[kind];
    return (choice && problemOf(kind, choice, vendors)) ?? [];
  });
}

/** Throws 409 `provider_unavailable`, naming the first provider that cannot run, why, and what to set. */
export function requireRunnable(agent: Voices, vendors: Config['vendors']): void {
  const [problem] = problemsOf(agent, vendors);
  if (!problem) return;
  throw apiError('provider_unavailable', inWords(problem), { fields: { ...problem } });
}

/** What whoever saves an agent should know: providers outside the matrix, and such as cannot run here. Pure. */
export function warningsOf(agent: Voices, vendors: Config['vendors']): string[] {
  return (['voice_config', 'fallback_voice_config'] as const).flatMap((field) => {
    const choices: { readonly [kind in ProviderKind]?: ProviderChoice | undefined } = agent[field];
    return PROVIDER_KINDS.flatMap((kind) => {
      const choice = choices[kind];
      if (!choice) return [];
      const problem = problemOf(kind, choice, vendors);
      if (problem) return [`${field}.${kind}: ${inWords(problem)}`];
      const entry = findProvider(kind, choice.provider);
      if (!entry || isKnownModel(entry, choice.model)) return [];
      return [`${field}.${kind}: the model '${choice.model}' is outside the provider matrix`];
    });
  });
}

function inWords({ kind, provider, reason, remedy }: ProviderProblem): string {
  return `The ${kind} provider '${provider}' cannot run here: ${reason}; ${remedy}.`;
}
