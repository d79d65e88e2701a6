import { z } from 'zod';

/**
 * Who decides that the caller's turn is over when the agent leaves it to OpenAI. It never answers or interrupts by
 * itself, so its fields for that are not offered, and silence is prompted by this service.
 */
const turnDetection = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('server_vad'),
    /** Loudness that counts as speech, 0 to 1. */
    threshold: z.number().min(0).max(1).optional(),
    /** Audio before the speech that belongs to the turn, in ms. */
    prefix_padding_ms: z.int().min(0).max(5000).optional(),
    /** Silence that ends the turn, in ms. */
    silence_duration_ms: z.int().min(0).max(10_000).optional(),
  }),
  z.object({
    type: z.literal('semantic_vad'),
    /** `low` waits longer for the caller to go on, `high` answers sooner. */
    eagerness: z.enum(['low', 'medium', 'high', 'auto']).optional(),
  }),
]);

/** Settings of an agent's `voice_config.realtime.params` for `openai`, named as the Realtime API names them. */
export const openAiRealtimeParams = z.object({
  /** A server that speaks OpenAI's Realtime API; `http` and `https` become `ws` and `wss`. */
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  /** The key for `base_url`; the platform's own key never goes to an address that an agent names. */
  api_key: z.string().min(1).optional(),
  /** A built-in voice such as `marin`, or a custom one's id. */
  voice: z.union([z.string().min(1).max(64), z.object({ id: z.string().min(1).max(64) })]).optional(),
  /** As a multiple of the voice's usual speed. */
  speed: z.number().min(0.25).max(1.5).optional(),
  /** What writes down the caller's words; null: nothing, and the transcript has only the agent's side. */
  transcription_model: z.string().min(1).max(64).nullable().default('gpt-4o-mini-transcribe'),
  /** Words or a sentence that help the transcription with names. */
  transcription_prompt: z.string().min(1).max(2000).optional(),
  noise_reduction: z.enum(['near_field', 'far_field']).nullable().optional(),
  /** Used where the agent's turn detection is the provider's. */
  turn_detection: turnDetection.optional(),
  max_output_tokens: z.union([z.int().min(1).max(4096), z.literal('inf')]).optional(),
  /** For reasoning models such as `gpt-realtime-2`. */
  reasoning_effort: z.enum(['minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
});
export type OpenAiRealtimeParams = z.infer<typeof openAiRealtimeParams>;
