import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import type { TenantId } from '@voice/shared/ids/ids';
import type { CallingHours } from '../../agents/calling-hours.js';
import type { AgentSettings } from '../../agents/schemas.js';

/** What a call needs of an agent, before its variables are rendered. */
export interface AgentForCall {
  readonly snapshot: AgentSnapshot;
  /** What it says first to disclose that it is an AI; null where it says nothing. */
  readonly disclosure: string | null;
  readonly isActive: boolean;
  /** Counts the saves of the agent. */
  readonly version: number;
  readonly callingHours: CallingHours;
  /** By what words it announces that the call is recorded. */
  readonly recordingAnnouncement: string;
  /** How its calls are analysed. */
  readonly analysis: AgentSettings['analysis'];
  readonly nudgePresets: AgentSettings['nudge_presets'];
}

/** The agents, as calls see them. Throws 404 `agent_not_found` for an absent or foreign one. */
export interface AgentDirectory {
  snapshot(tenant: TenantId, agentId: string): Promise<AgentForCall>;
}
