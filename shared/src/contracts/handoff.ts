import { z } from 'zod';
import { agentSnapshot } from './agent.js';
import { providerCredentials } from './call-plan.js';
import { uuid } from './primitives.js';

/** Where a worker asks the control plane for the agent that a live call is to be handed to. */
export const HANDOFF_PATH = '/internal/calls/handoff';

export const MAX_HANDOFF_REASON = 500;
export const MAX_HANDOFF_SUMMARY = 4000;

/** The same request again has the same answer, and counts as one handoff. */
export const handoffRequest = z.object({
  call_id: uuid,
  tool_call_id: z.string().min(1).max(256),
  /** Who speaks now. */
  from_agent_id: uuid,
  agent_id: uuid,
  reason: z.string().max(MAX_HANDOFF_REASON),
  summary: z.string().max(MAX_HANDOFF_SUMMARY),
});
export type HandoffRequest = z.output<typeof handoffRequest>;

export const handoffReply = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    /** With the call's variables rendered; recording, voicemail and length are those that the call began with. */
    agent: agentSnapshot,
    /** By provider name, as in the call's plan. */
    credentials: z.record(z.string(), providerCredentials),
  }),
  /** `reason`: what the model gets to read. */
  z.object({ ok: z.literal(false), reason: z.string() }),
]);
export type HandoffReply = z.output<typeof handoffReply>;
