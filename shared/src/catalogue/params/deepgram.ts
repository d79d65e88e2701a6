import { z } from 'zod';

/** The least that Deepgram accepts for `utterance_end_ms`. */
const MIN_UTTERANCE_END_MS = 1000;

const optOut = z
  .boolean()
  .optional()
  .describe('Keeps what is sent out of Deepgram’s model improvement program, which may cost more.');

/** Settings of an agent's `voice_config.stt.params` for Nova models, named as Deepgram's query names them. */
export const novaParams = z.object({
  endpointing: z.number().int().positive().optional().describe('Silence that closes a result, in ms.'),
  utterance_end_ms: z
    .number()
    .int()
    .min(MIN_UTTERANCE_END_MS)
    .max(5000)
    .default(MIN_UTTERANCE_END_MS)
    .describe('Gap between words that ends an utterance, in ms, where noise hides the silence.'),
  smart_format: z
    .boolean()
    .default(true)
    .describe('Whether dates, amounts and telephone numbers are written as people write them.'),
  numerals: z.boolean().optional().describe('Whether numbers are written in figures.'),
  profanity_filter: z.boolean().optional().describe('Whether profanity is masked.'),
  mip_opt_out: optOut,
});

/** The same for Flux models; ranges as `@deepgram/sdk` documents them. */
export const fluxParams = z.object({
  eot_threshold: z
    .number()
    .min(0.5)
    .max(1)
    .default(0.7)
    .describe('How sure it must be that the turn is over.'),
  eager_eot_threshold: z
    .number()
    .min(0.3)
    .max(0.9)
    .nullable()
    .default(0.5)
    .describe('How sure it must be to expect that the turn is over; null switches this off.'),
  eot_timeout_ms: z
    .number()
    .int()
    .min(500)
    .max(60_000)
    .default(5000)
    .describe('Silence that ends a turn in any case, in ms.'),
  mip_opt_out: optOut,
});

/** Settings of an agent's `voice_config.tts.params`; the voice and its language are the model. */
export const deepgramSpeechParams = z.object({
  /** developers.deepgram.com, "Voice Controls" */
  speed: z.number().min(0.7).max(1.5).optional().describe('How fast it speaks; 1 is usual.'),
  mip_opt_out: optOut,
});
export type DeepgramSpeechParams = z.infer<typeof deepgramSpeechParams>;
