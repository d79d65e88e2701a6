import { type AgentSnapshot, agentSnapshot } from '@voice/shared/contracts/agent';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import type { CallDocument } from './model.js';

type CallKey = Pick<CallDocument, '_id' | 'tenant_id'>;

const purpose = (call: CallKey) => `tenants/${call.tenant_id}/calls/${call._id}/agent`;

/** Seals the agent as this call will have it, for the store, because its tools may hold secrets. */
export function freezeAgent(secrets: SecretBox, call: CallKey, agent: AgentSnapshot): string {
  return secrets.seal(purpose(call), JSON.stringify(agent));
}

export function thawAgent(
  secrets: SecretBox,
  call: CallKey & Pick<CallDocument, 'agent_snapshot'>,
): AgentSnapshot {
  return agentSnapshot.parse(JSON.parse(secrets.open(purpose(call), call.agent_snapshot)));
}
