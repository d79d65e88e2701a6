import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { CallTokens } from './call-token.js';

/** The provider whose API the proxy speaks. */
export const PROXIED_PROVIDER = 'openai';

/** What of a plan the proxy concerns. */
export type ProxiablePlan = Pick<CallPlan, 'call_id' | 'agent' | 'credentials'>;

/**
 * Returns the plan with the proxy in the place of the platform's key. Left as it is where the agent or its tenant
 * brings a key or address, and where another kind of provider needs the same vendor's key. Pure.
 */
export function proxiedPlan<P extends ProxiablePlan>(
  plan: P,
  proxy: { tokens: CallTokens; url: string; now: number },
): P {
  const { voice_config: voice, fallback_voice_config: fallback } = plan.agent;
  if (plan.credentials[PROXIED_PROVIDER] === undefined) return plan;
  if (plan.agent.own_vendors?.includes(PROXIED_PROVIDER)) return plan;
  // The proxy speaks chat completions: speech to speech needs the key itself.
  const cascaded = 'llm' in voice;
  const models = [cascaded ? voice.llm : undefined, fallback.llm].filter(
    (choice) => choice?.provider === PROXIED_PROVIDER,
  );
  const ownAccess = models.some(
    (choice) => choice?.params.api_key !== undefined || choice?.params.base_url !== undefined,
  );
  const direct = cascaded ? [voice.stt, voice.tts] : [voice.realtime];
  const others = [...direct, fallback.stt, fallback.tts];
  if (models.length === 0 || ownAccess || others.some((choice) => choice?.provider === PROXIED_PROVIDER))
    return plan;
  const access = { api_key: proxy.tokens.issue(plan.call_id, proxy.now), base_url: proxy.url };
  return { ...plan, credentials: { ...plan.credentials, [PROXIED_PROVIDER]: access } };
}
