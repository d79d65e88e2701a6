import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import type { CallPlan, ProviderCredentials } from '@voice/shared/contracts/call-plan';
import type { Config, VendorAccess } from '../../config.js';
import { withIntegrationTools } from '../../integrations/agent-tools.js';
import type { CallDocument } from '../record/model.js';

/** For how long a carrier lets the callee's phone ring, in s. */
export const RING_TIMEOUT_SECONDS = 30;
/** What the carrier may take besides: to begin dialing, to report the end of ringing, in ms. */
export const CARRIER_SLACK_MS = 15_000;

/** Returns the names of the providers that the agent may use, fallbacks included. */
function providersOf(agent: AgentSnapshot): Set<string> {
  const { voice_config: config, fallback_voice_config: fallback } = agent;
  const choices = 'realtime' in config ? [config.realtime] : [config.stt, config.llm, config.tts];
  return new Set(
    [...choices, fallback.stt, fallback.llm, fallback.tts].flatMap((choice) => choice?.provider ?? []),
  );
}

function access({ apiKey, url }: VendorAccess): ProviderCredentials | null {
  if (apiKey === undefined && url === undefined) return null;
  return {
    ...(apiKey === undefined ? {} : { api_key: apiKey }),
    ...(url === undefined ? {} : { base_url: url }),
  };
}

/** Keys and addresses of the providers that this agent uses, and of no other. */
function credentialsFor(
  agent: AgentSnapshot,
  vendors: Config['vendors'],
): Record<string, ProviderCredentials> {
  const used = providersOf(agent);
  return Object.fromEntries(
    Object.entries(vendors).flatMap(([name, vendor]: [string, VendorAccess]) => {
      const given = used.has(name) ? access(vendor) : null;
      return given ? [[name, given]] : [];
    }),
  );
}

/** Returns what of a plan an agent brings: itself, and keys and addresses of its providers. */
export function speakingPart(
  agent: AgentSnapshot,
  /** On the accounts that apply to the agent (`VendorKeys.accounts`). */
  vendors: Config['vendors'],
  now: number,
): Pick<CallPlan, 'agent' | 'credentials'> {
  return { agent: withIntegrationTools(agent, now), credentials: credentialsFor(agent, vendors) };
}

/** Builds the whole plan of a stored call, for the worker that will hold it. */
export function planOf(
  call: CallDocument,
  agent: AgentSnapshot,
  carrier: CallPlan['carrier'],
  vendors: Config['vendors'],
  now: number,
): CallPlan {
  return {
    call_id: call._id,
    tenant_id: call.tenant_id,
    direction: call.direction,
    sandbox: call.sandbox,
    from_number: call.from_number,
    to_number: call.to_number,
    disclosure: call.disclosure,
    carrier,
    ...speakingPart(agent, vendors, now),
    stream_deadline_at: now + RING_TIMEOUT_SECONDS * 1000 + CARRIER_SLACK_MS,
  };
}
