import { z } from 'zod';

/** `voice_config.stt.params` of the local ears. */
export const localSpeechToTextParams = z.object({
  /**
   * `captions`: the script of a simulated person; `model`: the machine's recogniser. By default simulated
   * people are understood by their script, so that tests do not depend on a model, and everyone else by the model.
   */
  ears: z.enum(['captions', 'model']).optional(),
});

/** `voice_config.tts.params` of the local voice. */
export const localVoiceParams = z.object({
  /**
   * Empty: the neural voice where one is installed for the language, else espeak-ng. `espeak`: espeak-ng. Else the
   * neural voice's name, or one of espeak-ng: `en-us`, `en-us+f3`, or `+f3` for a variant of the language's voice.
   */
  voice: z.string().max(64).default(''),
  /** The espeak-ng voice where espeak-ng speaks and `voice` names none. */
  espeak_voice: z.string().max(64).default(''),
  /** Words a minute. */
  rate: z.number().min(80).max(450).optional(),
});
