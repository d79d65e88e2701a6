import { z } from 'zod';

/** "Rachel", one of the vendor's premade voices: every account has it. */
const DEFAULT_VOICE_ID = '21m00Tcm4TlvDq8ikWAM';

/** Settings of an agent's `voice_config.tts.params`, named as ElevenLabs names them. */
export const elevenLabsParams = z.object({
  voice_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .default(DEFAULT_VOICE_ID)
    .describe('The voice’s id with ElevenLabs.'),
  stability: z.number().min(0).max(1).optional().describe('High is even, low is lively.'),
  similarity_boost: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('How closely it keeps to the recordings that the voice was made of.'),
  style: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('How much the voice’s own style is exaggerated; more than 0 takes longer.'),
  use_speaker_boost: z
    .boolean()
    .optional()
    .describe('Nearer to the original speaker, and a little slower to begin.'),
  speed: z.number().min(0.7).max(1.2).optional().describe('How fast it speaks; 1 is usual.'),
  enable_logging: z
    .boolean()
    .optional()
    .describe('false keeps nothing of what is spoken with ElevenLabs; enterprise accounts only.'),
  apply_text_normalization: z
    .enum(['auto', 'on', 'off'])
    .optional()
    .describe('Whether ElevenLabs writes numbers and dates out before it speaks.'),
});
export type ElevenLabsParams = z.infer<typeof elevenLabsParams>;
