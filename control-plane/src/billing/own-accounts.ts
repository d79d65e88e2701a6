import { ownAccount } from '@voice/shared/catalogue/provider-entry';
import { findProvider } from '@voice/shared/catalogue/providers';
import type { AgentSnapshot, ProviderChoice } from '@voice/shared/contracts/agent';

const METERED_KINDS = ['stt', 'llm', 'tts', 'realtime'] as const;
export type MeteredKind = (typeof METERED_KINDS)[number];

/** The kinds of an agent's providers that run on the tenant's own account, of its first choices and fallbacks. */
export interface OwnAccounts {
  readonly first: ReadonlySet<MeteredKind>;
  readonly fallback: ReadonlySet<MeteredKind>;
}

/**
 * Returns whether the tenant has its own key at the vendor, or named its own key or server for this provider: one that
 * takes none from agents runs on the installation's account whatever else stands in `params`.
 */
export function isOwn(
  kind: MeteredKind,
  { provider, params }: ProviderChoice,
  ownVendors: AgentSnapshot['own_vendors'] = [],
): boolean {
  // The text model that analyses the calls of a speech-to-speech one is reached by the same key.
  const entry =
    findProvider(kind, provider) ?? (kind === 'llm' ? findProvider('realtime', provider) : undefined);
  if (entry?.vendor != null && ownVendors.includes(entry.vendor)) return true;
  const taken = entry?.credentials.shape ?? ownAccount.shape;
  return Object.keys(taken).some((field) => params[field] !== undefined);
}

/** Whose account each of an agent's providers runs on. Pure. */
export function ownAccountsOf({
  voice_config: voice,
  fallback_voice_config: fallbacks,
  own_vendors: ownVendors,
}: Pick<AgentSnapshot, 'voice_config' | 'fallback_voice_config' | 'own_vendors'>): OwnAccounts {
  const fallback = new Set(
    METERED_KINDS.filter((kind) => {
      const choice = kind === 'realtime' ? undefined : fallbacks[kind];
      return choice !== undefined && isOwn(kind, choice, ownVendors);
    }),
  );
  // A speech-to-speech model reports all that it used as tokens.
  if ('realtime' in voice)
    return { first: new Set(isOwn('realtime', voice.realtime, ownVendors) ? METERED_KINDS : []), fallback };
  return {
    first: new Set(
      METERED_KINDS.filter((kind) => kind !== 'realtime' && isOwn(kind, voice[kind], ownVendors)),
    ),
    fallback,
  };
}
