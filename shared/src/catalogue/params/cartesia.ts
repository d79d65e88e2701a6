import { z } from 'zod';

/** "Katie", one of the vendor's public voices, made for conversations. */
const DEFAULT_VOICE_ID = 'f786b574-daa5-4673-aa0c-cbe3e8534c02';

/** Settings of an agent's `voice_config.tts.params`, named as Cartesia names them. */
export const cartesiaParams = z.object({
  voice_id: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/)
    .default(DEFAULT_VOICE_ID),
  /** Sonic 3 and later know these three (docs.cartesia.ai, "Volume, Speed, and Emotion"). */
  speed: z.number().min(0.6).max(1.5).optional(),
  volume: z.number().min(0.5).max(2).optional(),
  emotion: z
    .string()
    .regex(/^[a-z /-]{1,40}$/)
    .optional(),
  pronunciation_dict_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .optional(),
  /** Longest wait for more text before a piece is spoken, in ms: pieces are whole clauses already. */
  max_buffer_delay_ms: z.number().int().min(0).max(5000).default(0),
});
export type CartesiaParams = z.infer<typeof cartesiaParams>;
