import { z } from 'zod';
import { liveEvent } from './live-events.js';
import { ms } from './primitives.js';

/**
 * Every message of a WebSocket test session, `<stream_url>?t=<token>`. Audio goes in binary frames both ways, in
 * the format that the query names; everything else in text frames that hold one JSON object each.
 */

/** The query beside `t`: what both sides send in binary frames. */
export const testerQuery = z
  .object({
    encoding: z
      .enum(['mulaw', 'pcm16'])
      .default('mulaw')
      .describe('`mulaw`: G.711, 8,000 Hz. `pcm16`: 16-bit linear PCM, little-endian, mono.'),
    sample_rate: z.coerce
      .number()
      .pipe(z.union([z.literal(8000), z.literal(16_000), z.literal(24_000), z.literal(48_000)]))
      .default(8000)
      .describe('Hz; other than 8,000 with `pcm16` alone.'),
  })
  .refine(({ encoding, sample_rate }) => encoding === 'pcm16' || sample_rate === 8000, {
    message: 'mulaw is at 8000 Hz',
    path: ['sample_rate'],
  });
export type TesterQuery = z.output<typeof testerQuery>;

/** The most that one binary frame may carry, in ms of audio. */
export const TESTER_MAX_FRAME_MS = 1000;

/** What the client may send in text frames; anything else closes the connection with 1008. */
export const testerClientMessage = z.discriminatedUnion('type', [
  z
    .strictObject({ type: z.literal('mark'), name: z.string().max(200) })
    .describe('The audio before the mark of this name was played, or dropped after a `clear`.'),
  z
    .strictObject({ type: z.literal('dtmf'), digit: z.string().regex(/^[0-9A-D*#]$/) })
    .describe('A key was pressed.'),
  z.strictObject({ type: z.literal('stop') }).describe('Hang up. The server then sends `ended` and closes.'),
]);
export type TesterClientMessage = z.infer<typeof testerClientMessage>;

/** What the connection itself needs: the audio and its end. */
export const testerStarted = z
  .object({
    type: z.literal('started'),
    session_id: z.string(),
    encoding: z.enum(['mulaw', 'pcm16']),
    sample_rate: z.number().int().positive(),
    resume_token: z
      .string()
      .describe(
        'Takes the session up again within 10 s after the connection broke: `<stream_url>?resume=<token>`. What was ' +
          'missed of the text frames comes after `started`.',
      ),
  })
  .describe('The first message: the session runs, with audio in this format both ways.');
export const testerMark = z
  .object({ type: z.literal('mark'), name: z.string().max(200) })
  .describe('Send it back when all audio before it was played, or at once when a `clear` dropped it.');
export const testerClear = z
  .object({ type: z.literal('clear') })
  .describe('Drop what was not played yet: the caller interrupts.');
export const testerEnded = z
  .object({
    type: z.literal('ended'),
    end_reason: z.string().optional(),
    duration_ms: ms.optional(),
    seq: z.number().int().positive().optional(),
  })
  .describe('The session is over; the connection is closed with 1000 after it.');

const controlMessages = [testerStarted, testerMark, testerClear, testerEnded] as const;
/** The messages that are not live events; `ended` is both, and comes once. */
export const testerControlMessage = z.discriminatedUnion('type', [...controlMessages]);
export type TesterControlMessage = z.infer<typeof testerControlMessage>;

/**
 * What the server sends in text frames: after `started`, every live event but `status`, which belongs to the call
 * as the control plane knows it.
 */
export const testerServerMessage = z.union([testerControlMessage, liveEvent]);
export type TesterServerMessage = z.infer<typeof testerServerMessage>;
