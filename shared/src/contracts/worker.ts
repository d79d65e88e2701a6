import { z } from 'zod';
import { callUsage } from './call-events.js';
import { endReason, uuid } from './primitives.js';

/** Calls that a heartbeat names as spooled; with more of them it names none. */
export const MAX_SPOOLED_CALLS = 1000;

/** Worker to control plane: `POST /internal/workers/heartbeat`. */
export const heartbeat = z.object({
  worker_id: z.string().min(1).max(128),
  /** Base URL of the worker's command server, as the control plane reaches it. */
  control_url: z.url(),
  /** Base ws(s) URL of its media streams, as carriers reach it. */
  media_url: z.string(),
  /** Calls that it can hold at once. */
  capacity: z.number().int().nonnegative(),
  live: z.number().int().nonnegative(),
  reserved: z.number().int().nonnegative(),
  draining: z.boolean(),
  /** The label of where it runs; absent: it has none. */
  region: z.string().max(64).optional(),
  /** Its disk is full: it takes no new calls until there is room. */
  storage_full: z.boolean().optional(),
  /** Calls that it holds, reserved ones too. */
  calls: z.array(uuid),
  /**
   * Calls that are over here and of which events or files are still on their way, those that a killed predecessor
   * left included. Absent where it is not known.
   */
  spooled_calls: z.array(uuid).max(MAX_SPOOLED_CALLS).optional(),
  /** Whether it takes WebRTC sessions; absent: it does not, and never will. */
  webrtc: z
    .object({
      available: z.boolean(),
      /** In words, while it is not. */
      reason: z.string().max(500).optional(),
      /** An estimate, while what it needs is being built. */
      ready_in_seconds: z.number().nonnegative().optional(),
    })
    .optional(),
});
export type Heartbeat = z.infer<typeof heartbeat>;

export const heartbeatReply = z.object({
  /** Send the next one after this long. */
  interval_ms: z.number().int().positive(),
  /** Calls of the heartbeat that have already ended for the control plane: end them. */
  ended_calls: z.array(uuid),
  /** The control plane's time, epoch ms: a worker whose clock is wrong takes it. */
  now: z.number().optional(),
});
export type HeartbeatReply = z.infer<typeof heartbeatReply>;

/** How often a worker reports, and after how long of silence its calls are declared lost, in ms. */
export const HEARTBEAT_INTERVAL_MS = 2000;
export const WORKER_LOST_AFTER_MS = 8000;

/** Control plane to worker: `GET /control/calls`. What it holds, asked before it is judged lost. */
export const heldCalls = z.object({ worker_id: z.string(), calls: z.array(uuid) });
export type HeldCalls = z.infer<typeof heldCalls>;

/** Worker's answer to `DELETE /control/calls/{call_id}`, repeats of it too, when preparing the call has used something. */
export const givenBack = z.object({ usage: callUsage });
export type GivenBack = z.infer<typeof givenBack>;

/** Control plane to worker: `POST /control/calls/{call_id}/commands`. Idempotent by `command_id`. */
export const callCommand = z.object({
  command_id: uuid,
  command: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('hang_up'), reason: endReason.default('operator_hangup') }),
    z.object({ kind: z.literal('whisper'), text: z.string().min(1).max(4000) }),
    /** Answering-machine detection by the carrier. */
    z.object({
      kind: z.literal('machine_detected'),
      answered_by: z.enum([
        'human',
        'machine_start',
        'machine_end_beep',
        'machine_end_silence',
        'machine_end_other',
        'fax',
        'unknown',
      ]),
    }),
    /** The carrier says that the call is over. */
    z.object({ kind: z.literal('carrier_ended'), reason: endReason }),
    /** Nothing of either side is recorded from here on, until it is resumed. */
    z.object({ kind: z.literal('pause_recording') }),
    z.object({ kind: z.literal('resume_recording') }),
    /** How a transfer that the agent asked for went. */
    z.object({
      kind: z.literal('transfer_result'),
      tool_call_id: z.string(),
      ok: z.boolean(),
      message: z.string().max(1000),
    }),
  ]),
});
export type CallCommand = z.infer<typeof callCommand>;

/** 202 of a command. 404 `call_not_found` when the worker does not hold the call. */
export const commandReply = z.object({ status: z.enum(['accepted', 'already_ended']) });
export type CommandReply = z.infer<typeof commandReply>;
