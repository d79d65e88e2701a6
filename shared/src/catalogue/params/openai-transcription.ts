import { z } from 'zod';

/** Settings of an agent's `voice_config.stt.params`, named as a realtime transcription session names them. */
export const openAiTranscriptionParams = z.object({
  /** A server with the same API. */
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  /** The key for `base_url`; the platform's own key never goes to an address that an agent names. */
  api_key: z.string().min(1).max(512).optional(),
  /** What the call is about, in a sentence; `gpt-realtime-whisper` does not know it. */
  prompt: z.string().min(1).max(2000).optional(),
  noise_reduction: z.enum(['near_field', 'far_field']).optional(),
  /** Of models that find the ends of turns by themselves. */
  vad_threshold: z.number().min(0).max(1).optional(),
  /** How long `gpt-realtime-whisper` waits before it writes. */
  delay: z.enum(['minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
});
export type OpenAiTranscriptionParams = z.infer<typeof openAiTranscriptionParams>;
