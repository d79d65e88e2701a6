import { z } from 'zod';

/**
 * Listening to a live call: `GET /api/v1/calls/{id}/listen` of the control plane, and behind it
 * `GET /control/calls/{id}/listen` of the worker. A JSON text frame with the format comes first, then binary
 * frames of audio.
 */

/** `mixed`: both sides in one channel; `stereo`: the caller left, the agent right. */
export const listenChannels = z.enum(['mixed', 'stereo']);
export type ListenChannels = z.infer<typeof listenChannels>;

export const listenFormat = z.object({
  type: z.literal('format'),
  /** 16-bit linear PCM, little-endian; stereo samples alternate, left first. */
  encoding: z.literal('l16'),
  /** Hz: the line's own. */
  sample_rate: z.number().int().positive(),
  channels: z.union([z.literal(1), z.literal(2)]),
});
export type ListenFormat = z.infer<typeof listenFormat>;

/** How these WebSockets are closed (RFC 6455, section 7.4.1, and IANA's registry for 1013). */
export const LIVE_CLOSE = {
  /** The call is over. */
  ended: 1000,
  /** The worker or the replica goes away; connect again. */
  goingAway: 1001,
  /** The listener sent something. */
  listenOnly: 1008,
  /** Who listens is signed out, or may not listen any more. */
  signedOut: 1008,
  /** The listener is slower than the call; connect again. */
  tooSlow: 1013,
} as const;
