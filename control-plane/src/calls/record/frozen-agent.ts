import { type AgentSnapshot, agentSnapshot } from '@voice/shared/contracts/agent';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import type { CallDocument } from './model.js';

type CallKey = Pick<CallDocument, '_id' | 'tenant_id'>;

const purpose = (call: CallKey) => `tenants/${call.tenant_id}/calls/${call._id}/agent`;

/** Seals the agent as this call will have it, for the store, because its tools may hold secrets. */
export function freezeAgent(secrets: SecretBox, call: CallKey, agent: AgentSnapshot): string {
  return secrets.seal(purpose(call), JSON.stringify(agent));
}

type FrozenAgent = CallKey & Pick<CallDocument, 'agent_snapshot'>;

/** Returns the agent as JSON, as it was frozen. */
export function openAgent(secrets: SecretBox, call: FrozenAgent): string {
  return secrets.open(purpose(call), call.agent_snapshot);
}

export function thawAgent(secrets: SecretBox, call: FrozenAgent): AgentSnapshot {
  return agentSnapshot.parse(JSON.parse(openAgent(secrets, call)));
}
