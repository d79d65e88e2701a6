import { z } from 'zod';

const sensitivity = z.enum(['high', 'low']);

/** Settings of an agent's `voice_config.realtime.params` with Gemini Live. */
export const geminiLiveParams = z.object({
  /** A prebuilt voice of the vendor, such as Puck, Charon, Kore, Fenrir, Aoede, Leda, Orus or Zephyr. */
  voice: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/)
    .optional(),
  /** BCP 47; the agent's language when absent. Models of the 2.x generation choose the language by themselves. */
  language: z.string().min(2).max(35).optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  max_output_tokens: z.number().int().positive().optional(),
  /** 3.1 and 3.8 with extended thinking; the least that the model allows when absent. */
  thinking_level: z.enum(['minimal', 'low', 'medium', 'high']).optional(),
  /** 2.5 only, in tokens; 0 (none) when absent. */
  thinking_budget: z.number().int().min(-1).optional(),
  /** The vendor's turn detection: how readily speech is taken to begin and to end. */
  vad_start_sensitivity: sensitivity.optional(),
  vad_end_sensitivity: sensitivity.optional(),
  /** Speech before it counts as begun, ms. */
  vad_prefix_padding_ms: z.number().int().min(0).max(5000).optional(),
  /** Silence before speech counts as ended, ms. */
  vad_silence_ms: z.number().int().min(0).max(10_000).optional(),
  /** A server that speaks the Live API, such as a proxy. */
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  /** The key for `base_url`, or one's own; the platform's key never goes to an address that an agent names. */
  api_key: z.string().min(1).optional(),
});
export type GeminiLiveParams = z.infer<typeof geminiLiveParams>;
