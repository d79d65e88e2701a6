import { z } from 'zod';

/**
 * What a simulated person is about to say, published beside its audio for the keyless speech-to-text.
 * The simulated carrier serves `WebSocket /captions/{callSid}`; each text frame is one of these.
 * Positions are ms of the inbound media stream (Twilio's `media.timestamp`), so that the receiver can
 * release a word only after its audio has arrived.
 */
export const caption = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('utterance'),
    id: z.number().int().nonnegative(),
    words: z.array(z.object({ text: z.string(), start_ms: z.number(), end_ms: z.number() })).min(1),
  }),
  /** The person stopped before the end of the utterance: nothing after `at_ms` was said. */
  z.object({ kind: z.literal('cut'), id: z.number().int().nonnegative(), at_ms: z.number() }),
]);
export type Caption = z.infer<typeof caption>;
