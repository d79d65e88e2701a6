import { z } from 'zod';
import { ownServerParams } from './own-server.js';

/** Settings of an agent's `voice_config.tts.params`, named as `/v1/audio/speech` names them. */
export const openAiSpeechParams = z.object({
  ...ownServerParams('the same API'),
  voice: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .default('alloy')
    .describe('A voice’s name, or the id of one of the account’s own (`voice_…`).'),
  instructions: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('How it is to be said; the models `tts-1` do not know it.'),
  speed: z.number().min(0.25).max(4).optional().describe('How fast it speaks; 1 is usual.'),
});
export type OpenAiSpeechParams = z.infer<typeof openAiSpeechParams>;
