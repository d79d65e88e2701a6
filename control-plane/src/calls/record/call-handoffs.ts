import { agentSnapshot } from '@voice/shared/contracts/agent';
import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import type { CallDocument } from './model.js';

const grantedHandoff = z.object({
  /** The model's tool call: the same again is the same handoff. */
  tool_call_id: z.string(),
  from_agent_id: uuid,
  reason: z.string(),
  /** The agent as this call has it from then on, frozen. */
  agent: agentSnapshot,
});
/** A handoff that a worker was given the agent for. */
export type GrantedHandoff = z.output<typeof grantedHandoff>;

type CallKey = Pick<CallDocument, '_id' | 'tenant_id'>;

const purpose = (call: CallKey) => `tenants/${call.tenant_id}/calls/${call._id}/handoffs`;

/** Seals the agents that a call was handed to, for the store, because their tools may hold secrets. */
export function sealHandoffs(secrets: SecretBox, call: CallKey, granted: readonly GrantedHandoff[]): string {
  return secrets.seal(purpose(call), JSON.stringify(granted));
}

type SealedHandoffs = CallKey & Pick<CallDocument, 'handoffs'>;

/** Returns the handoffs as JSON, as they were sealed; null without any. */
export function handoffsText(secrets: SecretBox, call: SealedHandoffs): string | null {
  return call.handoffs ? secrets.open(purpose(call), call.handoffs) : null;
}

/** Returns the handoffs that were granted, in their order. */
export function openHandoffs(secrets: SecretBox, call: SealedHandoffs): GrantedHandoff[] {
  const text = handoffsText(secrets, call);
  return text === null ? [] : z.array(grantedHandoff).parse(JSON.parse(text));
}
