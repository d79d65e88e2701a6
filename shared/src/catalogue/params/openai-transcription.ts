import { z } from 'zod';
import { ownServerParams } from './own-server.js';

/** Settings of an agent's `voice_config.stt.params`, named as a realtime transcription session names them. */
export const openAiTranscriptionParams = z.object({
  ...ownServerParams('the same API'),
  prompt: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .describe('What the call is about, in a sentence; `gpt-realtime-whisper` does not know it.'),
  noise_reduction: z
    .enum(['near_field', 'far_field'])
    .optional()
    .describe('By how far the caller is from the microphone.'),
  vad_threshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Loudness that counts as speech, for models that find the ends of turns by themselves.'),
  delay: z
    .enum(['minimal', 'low', 'medium', 'high', 'xhigh'])
    .optional()
    .describe('How long `gpt-realtime-whisper` waits before it writes.'),
});
export type OpenAiTranscriptionParams = z.infer<typeof openAiTranscriptionParams>;
