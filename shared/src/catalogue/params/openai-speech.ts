import { z } from 'zod';

/** Settings of an agent's `voice_config.tts.params`, named as `/v1/audio/speech` names them. */
export const openAiSpeechParams = z.object({
  /** A server with the same API. */
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  /** The key for `base_url`; the platform's own key never goes to an address that an agent names. */
  api_key: z.string().min(1).max(512).optional(),
  /** A voice's name, or the id of one of the account's own (`voice_…`). */
  voice: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .default('alloy'),
  /** How it is to be said; the models `tts-1` do not know it. */
  instructions: z.string().min(1).max(4096).optional(),
  speed: z.number().min(0.25).max(4).optional(),
});
export type OpenAiSpeechParams = z.infer<typeof openAiSpeechParams>;
