import { z } from 'zod';

/** "Katie", one of the vendor's public voices, made for conversations. */
const DEFAULT_VOICE_ID = 'f786b574-daa5-4673-aa0c-cbe3e8534c02';

const FROM_SONIC_3 = 'Sonic 3 and later know it.';

/**
 * Settings of an agent's `voice_config.tts.params`, named as Cartesia names them
 * (docs.cartesia.ai, "Volume, Speed, and Emotion").
 */
export const cartesiaParams = z.object({
  voice_id: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/)
    .default(DEFAULT_VOICE_ID)
    .describe('The voice’s id with Cartesia.'),
  speed: z.number().min(0.6).max(1.5).optional().describe(`How fast it speaks; 1 is usual. ${FROM_SONIC_3}`),
  volume: z.number().min(0.5).max(2).optional().describe(`How loud it speaks; 1 is usual. ${FROM_SONIC_3}`),
  emotion: z
    .string()
    .regex(/^[a-z /-]{1,40}$/)
    .optional()
    .describe(`Such as “calm” or “enthusiastic”. ${FROM_SONIC_3}`),
  pronunciation_dict_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .optional()
    .describe('The id of a dictionary of pronunciations in your account.'),
  max_buffer_delay_ms: z
    .number()
    .int()
    .min(0)
    .max(5000)
    .default(0)
    .describe(
      'Longest wait for more text before a piece is spoken, in ms. Pieces are whole clauses already.',
    ),
});
export type CartesiaParams = z.infer<typeof cartesiaParams>;
