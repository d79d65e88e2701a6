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
 * Returns whether the tenant named its own key or its own server for this provider: one that takes none from agents
 * runs on the installation's account whatever else stands in `params`.
 */
export function isOwn(kind: MeteredKind, { provider, params }: ProviderChoice): boolean {
  const taken = findProvider(kind, provider)?.credentials.shape ?? ownAccount.shape;
  return Object.keys(taken).some((field) => params[field] !== undefined);
}

/** Whose account each of an agent's providers runs on. Pure. */
export function ownAccountsOf({
  voice_config: voice,
  fallback_voice_config: fallbacks,
}: Pick<AgentSnapshot, 'voice_config' | 'fallback_voice_config'>): OwnAccounts {
  const fallback = new Set(
    METERED_KINDS.filter((kind) => {
      const choice = kind === 'realtime' ? undefined : fallbacks[kind];
      return choice !== undefined && isOwn(kind, choice);
    }),
  );
  // A speech-to-speech model reports all that it used as tokens.
  if ('realtime' in voice)
    return { first: new Set(isOwn('realtime', voice.realtime) ? METERED_KINDS : []), fallback };
  return {
    first: new Set(METERED_KINDS.filter((kind) => kind !== 'realtime' && isOwn(kind, voice[kind]))),
    fallback,
  };
}
