import { derivedId } from '@voice/shared/ids/ids';
import type { AgentTransfers } from '../worker-events/event-intake.js';
import type { Transfers } from './transfers.js';

/** Transfers as the intake of workers' events sees them: an agent's wish is one by its tool call. */
export function agentTransfers(transfers: Transfers): AgentTransfers {
  return {
    request: (call, { tool_call_id, destination, transfer_type, briefing, give_up_at }) =>
      transfers.requestByAgent(call, {
        id: derivedId(call._id, `transfer:${tool_call_id}`),
        destination,
        type: transfer_type,
        toolCallId: tool_call_id,
        ...(briefing === undefined ? {} : { briefing }),
        ...(give_up_at === undefined ? {} : { giveUpAt: give_up_at }),
      }),
    callerOf: (call) => transfers.callerOf(call),
  };
}
