import { z } from 'zod';

/** `voice_config.stt.params` of the local recogniser. */
export const localSpeechToTextParams = z.object({
  /** Simulated people are understood by their script so that tests do not depend on a model. */
  ears: z
    .enum(['captions', 'model'])
    .optional()
    .describe(
      '`captions`: the script of a simulated person; `model`: the machine’s recogniser. When left out, simulated ' +
        'people are understood by their script, and everyone else by the model.',
    ),
});

/** `voice_config.tts.params` of the local voice. */
export const localVoiceParams = z.object({
  voice: z
    .string()
    .max(64)
    .default('')
    .describe(
      'Empty: the neural voice where one is installed for the language, else espeak-ng. `espeak`: espeak-ng. Else a ' +
        'neural voice’s name, or one of espeak-ng: `en-us`, `en-us+f3`, or `+f3` for a variant of the language’s voice.',
    ),
  espeak_voice: z
    .string()
    .max(64)
    .default('')
    .describe('The espeak-ng voice where espeak-ng speaks and `voice` names none.'),
  rate: z.number().min(80).max(450).optional().describe('Words a minute.'),
});
