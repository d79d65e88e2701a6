import { z } from 'zod';
import { toolExecution, transcriptTurn, turnMetrics } from './call-events.js';
import { endReason, ms } from './primitives.js';

/**
 * What a live call reports while it goes on: to the tester's socket, to `GET /calls/{id}/live` and to the page
 * `/talk`, the same words everywhere. Positions (`at_ms`) count from the start of the media stream. Events with a
 * `seq` are durable (the call's event of that number) and come again after a reconnect; the others are of the
 * moment.
 */
const moment = { at_ms: ms };
const durable = { seq: z.number().int().positive().optional() };

export const liveEvent = z.discriminatedUnion('type', [
  /** What the agent is doing. */
  z.object({ type: z.literal('state'), state: z.enum(['listening', 'thinking', 'speaking']), ...moment }),
  /** What is being said; a later text of the same role and turn replaces it. `final`: it will not change. */
  z.object({
    type: z.literal('transcript'),
    role: z.enum(['caller', 'agent']),
    text: z.string(),
    final: z.boolean(),
    ...moment,
  }),
  /** A turn is over (or was corrected): the record's own entry. */
  z.object({ type: z.literal('turn'), turn: transcriptTurn, ...durable }),
  /** How long the stages of a turn of the agent took. */
  z.object({ type: z.literal('metrics'), metrics: turnMetrics, ...durable }),
  /** A tool begins to run. */
  z.object({ type: z.literal('tool_call'), tool_call_id: z.string(), name: z.string(), ...moment }),
  /** A tool has answered. */
  z.object({ type: z.literal('tool_result'), execution: toolExecution, ...durable }),
  z.object({ type: z.literal('dtmf'), digit: z.string().max(1), at_ms: ms, ...durable }),
  /** Something worth knowing: a provider was replaced, a budget was passed. */
  z.object({ type: z.literal('notice'), code: z.string(), message: z.string(), ...durable }),
  z.object({ type: z.literal('error'), code: z.string(), message: z.string() }),
  /** Of the call as the control plane knows it (`QUEUED` … `COMPLETED`); never on the tester's socket. */
  z.object({
    type: z.literal('status'),
    status: z.string(),
    at: z.iso.datetime(),
    /** With a status that ends the call. */
    end_reason: endReason.nullable().optional(),
  }),
  z.object({ type: z.literal('ended'), end_reason: endReason, duration_ms: ms, ...durable }),
]);
export type LiveEvent = z.infer<typeof liveEvent>;
