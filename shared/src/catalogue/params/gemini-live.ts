import { z } from 'zod';
import { ownServerParams } from './own-server.js';

const sensitivity = z.enum(['high', 'low']);

/** Settings of an agent's `voice_config.realtime.params` with Gemini Live. */
export const geminiLiveParams = z.object({
  voice: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/)
    .optional()
    .describe('A prebuilt voice, such as Puck, Charon, Kore, Fenrir, Aoede, Leda, Orus or Zephyr.'),
  language: z
    .string()
    .min(2)
    .max(35)
    .optional()
    .describe(
      'A language tag; the agent’s language when left out. Models of the 2.x generation choose it by themselves.',
    ),
  temperature: z.number().min(0).max(2).optional().describe('How freely it words its answers.'),
  top_p: z.number().min(0).max(1).optional().describe('Share of the likeliest tokens to choose from.'),
  max_output_tokens: z.number().int().positive().optional().describe('The most tokens of an answer.'),
  thinking_level: z
    .enum(['minimal', 'low', 'medium', 'high'])
    .optional()
    .describe('3.1 and 3.8 with extended thinking; the least that the model allows when left out.'),
  thinking_budget: z
    .number()
    .int()
    .min(-1)
    .optional()
    .describe('2.5 only, in tokens; none when left out, -1 lets the model decide.'),
  vad_start_sensitivity: sensitivity
    .optional()
    .describe('How readily the vendor takes sound for the beginning of speech.'),
  vad_end_sensitivity: sensitivity
    .optional()
    .describe('How readily the vendor takes silence for the end of speech.'),
  vad_prefix_padding_ms: z
    .number()
    .int()
    .min(0)
    .max(5000)
    .optional()
    .describe('Speech before it counts as begun, in ms.'),
  vad_silence_ms: z
    .number()
    .int()
    .min(0)
    .max(10_000)
    .optional()
    .describe('Silence before speech counts as ended, in ms.'),
  ...ownServerParams('the Live API, such as a proxy'),
});
export type GeminiLiveParams = z.infer<typeof geminiLiveParams>;
