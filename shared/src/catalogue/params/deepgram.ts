import { z } from 'zod';

/** The least that Deepgram accepts for `utterance_end_ms`. */
const MIN_UTTERANCE_END_MS = 1000;

/** Settings of an agent's `voice_config.stt.params` for Nova models, named as Deepgram's query names them. */
export const novaParams = z.object({
  endpointing: z.number().int().positive().optional(),
  utterance_end_ms: z.number().int().min(MIN_UTTERANCE_END_MS).max(5000).default(MIN_UTTERANCE_END_MS),
  smart_format: z.boolean().default(true),
  numerals: z.boolean().optional(),
  profanity_filter: z.boolean().optional(),
  mip_opt_out: z.boolean().optional(),
});

/** The same for Flux models; ranges as `@deepgram/sdk` documents them. */
export const fluxParams = z.object({
  eot_threshold: z.number().min(0.5).max(1).default(0.7),
  /** null switches eager ends of turn off. */
  eager_eot_threshold: z.number().min(0.3).max(0.9).nullable().default(0.5),
  eot_timeout_ms: z.number().int().min(500).max(60_000).default(5000),
  mip_opt_out: z.boolean().optional(),
});

/** Settings of an agent's `voice_config.tts.params`; the voice and its language are the model. */
export const deepgramSpeechParams = z.object({
  /** How fast it speaks; 1 is usual (developers.deepgram.com, "Voice Controls"). */
  speed: z.number().min(0.7).max(1.5).optional(),
  mip_opt_out: z.boolean().optional(),
});
export type DeepgramSpeechParams = z.infer<typeof deepgramSpeechParams>;
