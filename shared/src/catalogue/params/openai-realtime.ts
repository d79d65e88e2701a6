import { z } from 'zod';
import { ownServerParams } from './own-server.js';

/**
 * Who decides that the caller's turn is over when the agent leaves it to OpenAI. It never answers or interrupts by
 * itself, so its fields for that are not offered, and silence is prompted by this service.
 */
const turnDetection = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('server_vad'),
    threshold: z.number().min(0).max(1).optional().describe('Loudness that counts as speech.'),
    prefix_padding_ms: z
      .int()
      .min(0)
      .max(5000)
      .optional()
      .describe('Audio before the speech that belongs to the turn, in ms.'),
    silence_duration_ms: z.int().min(0).max(10_000).optional().describe('Silence that ends the turn, in ms.'),
  }),
  z.object({
    type: z.literal('semantic_vad'),
    eagerness: z
      .enum(['low', 'medium', 'high', 'auto'])
      .optional()
      .describe('`low` waits longer for the caller to go on, `high` answers sooner.'),
  }),
]);

/** Settings of an agent's `voice_config.realtime.params` for `openai`, named as the Realtime API names them. */
export const openAiRealtimeParams = z.object({
  ...ownServerParams('OpenAI’s Realtime API; `http` and `https` become `ws` and `wss`'),
  voice: z
    .union([z.string().min(1).max(64), z.object({ id: z.string().min(1).max(64) })])
    .optional()
    .describe('A built-in voice such as `marin`, or a custom one’s id.'),
  speed: z.number().min(0.25).max(1.5).optional().describe('How fast it speaks; 1 is usual.'),
  transcription_model: z
    .string()
    .min(1)
    .max(64)
    .nullable()
    .default('gpt-4o-mini-transcribe')
    .describe(
      'What writes down the caller’s words; null: nothing, and the transcript has only the agent’s side.',
    ),
  transcription_prompt: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .describe('Words or a sentence that help the transcription with names.'),
  noise_reduction: z
    .enum(['near_field', 'far_field'])
    .nullable()
    .optional()
    .describe('By how far the caller is from the microphone.'),
  turn_detection: turnDetection
    .optional()
    .describe('Used where the agent’s turn detection is the provider’s.'),
  max_output_tokens: z
    .union([z.int().min(1).max(4096), z.literal('inf')])
    .optional()
    .describe('The most tokens of an answer.'),
  reasoning_effort: z
    .enum(['minimal', 'low', 'medium', 'high', 'xhigh'])
    .optional()
    .describe('For reasoning models such as `gpt-realtime-2`.'),
});
export type OpenAiRealtimeParams = z.infer<typeof openAiRealtimeParams>;
