import { z } from 'zod';

/** "Rachel", one of the vendor's premade voices: every account has it. */
const DEFAULT_VOICE_ID = '21m00Tcm4TlvDq8ikWAM';

/** Settings of an agent's `voice_config.tts.params`, named as ElevenLabs names them. */
export const elevenLabsParams = z.object({
  voice_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .default(DEFAULT_VOICE_ID),
  stability: z.number().min(0).max(1).optional(),
  similarity_boost: z.number().min(0).max(1).optional(),
  style: z.number().min(0).max(1).optional(),
  use_speaker_boost: z.boolean().optional(),
  speed: z.number().min(0.7).max(1.2).optional(),
  enable_logging: z.boolean().optional(),
  apply_text_normalization: z.enum(['auto', 'on', 'off']).optional(),
});
export type ElevenLabsParams = z.infer<typeof elevenLabsParams>;
