import {
  type CatalogueProvider,
  findProvider,
  isKnownModel,
  PROVIDER_KINDS,
  type ProviderKind,
  paramsOf,
  providerNames,
  VENDORS,
} from '@voice/shared/catalogue/providers';
import type { AgentSnapshot, ProviderChoice } from '@voice/shared/contracts/agent';
import type { Config, VendorAccess } from '../config.js';
import { apiError } from '../platform/http/error-codes.js';

type Voices = Pick<AgentSnapshot, 'voice_config' | 'fallback_voice_config' | 'own_vendors'>;
type OwnVendors = AgentSnapshot['own_vendors'];

/** Why a provider of an agent cannot run in this installation, and what to do about it. */
export interface ProviderProblem {
  readonly kind: ProviderKind;
  readonly provider: string;
  readonly reason: string;
  readonly remedy: string;
}

/**
 * Returns what hinders one choice; null: it can run. A key or server that the agent brings itself counts, and so does
 * the tenant's own key at the vendor. Pure.
 */
export function problemOf(
  kind: ProviderKind,
  { provider, params }: ProviderChoice,
  vendors: Config['vendors'],
  ownVendors: OwnVendors = [],
): ProviderProblem | null {
  const entry = findProvider(kind, provider);
  if (!entry) {
    const remedy = `use one of: ${providerNames(kind).join(', ')}`;
    return { kind, provider, reason: `the media workers have no ${kind} provider of this name`, remedy };
  }
  if (entry.vendor === null) return null;
  const platform = vendors[entry.vendor];
  const own = ownAccount(entry, params);
  const hasKey = platform.apiKey !== undefined || ownVendors.includes(entry.vendor);
  if (entry.isReachable(accessWith(own, { url: platform.url, hasKey }))) return null;
  const bringsKey = 'api_key' in entry.credentials.shape;
  if (bringsKey && own.url !== undefined && own.url !== platform.url) {
    const reason =
      'its own server (`params.base_url`) needs a key, and is sent neither yours nor that of this installation';
    return { kind, provider, reason, remedy: 'give the agent its own `params.api_key`' };
  }
  const { apiKey } = VENDORS[entry.vendor];
  const bring = bringsKey ? ', or give the agent its own `params.api_key`' : '';
  const remedy = `save your key by PUT /api/v1/vendor-keys/${entry.vendor}, or set ${apiKey}${bring}`;
  return { kind, provider, reason: 'neither you nor this installation has a key for it', remedy };
}

/** Returns what the agent brings of the provider's credentials; nothing where the provider takes none from agents. */
function ownAccount({ credentials }: CatalogueProvider, params: ProviderChoice['params']): VendorAccess {
  const text = (field: string) => {
    const value = field in credentials.shape ? params[field] : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  return { apiKey: text('api_key'), url: text('base_url') };
}

/**
 * Decides how the provider is reached: neither the installation's key nor the tenant's goes to an address that an
 * agent names.
 */
function accessWith(
  own: VendorAccess,
  platform: { readonly url?: string | undefined; readonly hasKey: boolean },
) {
  const isAgentsOwn = own.url !== undefined && own.url !== platform.url;
  return {
    hasKey: own.apiKey !== undefined || (!isAgentsOwn && platform.hasKey),
    url: own.url ?? platform.url,
    isAgentsOwn,
  };
}

/** Returns what hinders the agent's first choices. Pure. */
function problemsOf(
  { voice_config: voice, own_vendors: own }: Voices,
  vendors: Config['vendors'],
): ProviderProblem[] {
  const choices: { readonly [kind in ProviderKind]?: ProviderChoice } = voice;
  return PROVIDER_KINDS.flatMap((kind) => {
    const choice = choices[kind];
    return (choice && problemOf(kind, choice, vendors, own)) ?? [];
  });
}

/** Throws 409 `provider_unavailable`, naming the first provider that cannot run, why, and what to set. */
export function requireRunnable(agent: Voices, vendors: Config['vendors']): void {
  const [problem] = problemsOf(agent, vendors);
  if (problem) throw unavailable(problem);
}

/** Requires the same of one provider: for conversations in text, which need no other. */
export function requireRunnableChoice(
  kind: ProviderKind,
  choice: ProviderChoice,
  vendors: Config['vendors'],
  ownVendors: OwnVendors,
): void {
  const problem = problemOf(kind, choice, vendors, ownVendors);
  if (problem) throw unavailable(problem);
}

function unavailable(problem: ProviderProblem) {
  return apiError('provider_unavailable', inWords(problem), { fields: { ...problem } });
}

/**
 * Warnings for the client that saves an agent: providers outside the matrix, such as cannot run here, and
 * parameters that would have no effect. Pure.
 */
export function warningsOf(agent: Voices, vendors: Config['vendors']): string[] {
  return (['voice_config', 'fallback_voice_config'] as const).flatMap((field) => {
    const choices: { readonly [kind in ProviderKind]?: ProviderChoice | undefined } = agent[field];
    return PROVIDER_KINDS.flatMap((kind) => {
      const choice = choices[kind];
      return choice
        ? choiceWarnings(kind, choice, vendors, agent.own_vendors).map((text) => `${field}.${kind}: ${text}`)
        : [];
    });
  });
}

function choiceWarnings(
  kind: ProviderKind,
  choice: ProviderChoice,
  vendors: Config['vendors'],
  ownVendors: OwnVendors,
): string[] {
  const problem = problemOf(kind, choice, vendors, ownVendors);
  const entry = findProvider(kind, choice.provider);
  if (!entry) return problem ? [inWords(problem)] : [];
  const known = paramsOf(entry, choice.model).shape;
  const unknown = Object.keys(choice.params).filter((name) => !Object.hasOwn(known, name));
  return [
    ...(problem ? [inWords(problem)] : []),
    ...(problem || isKnownModel(entry, choice.model)
      ? []
      : [`the model '${choice.model}' is outside the provider matrix`]),
    ...unknown.map((name) => `the parameter '${name}' is not known to ${choice.provider} and has no effect`),
  ];
}

function inWords({ kind, provider, reason, remedy }: ProviderProblem): string {
  return `The ${kind} provider '${provider}' cannot run here: ${reason}; ${remedy}.`;
}
