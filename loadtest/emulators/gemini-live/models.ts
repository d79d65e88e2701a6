import type { Refusal } from './client-message.js';
import type { Setup } from './setup-message.js';

/** What the generations of Live models do differently. */
export interface ModelTraits {
  /** Audio and transcription come in one message (3.x) or in messages of their own (2.x). */
  readonly combinesParts: boolean;
  /** Whether new input cancels a blocking function call (3.8) or breaks the connection (before). */
  readonly inputCancelsCalls: boolean;
  /** Whether `contextUpdate` is understood. */
  readonly updatesContext: boolean;
  /** Whether `clientContent` is taken after the beginning. */
  readonly takesContent: boolean;
  readonly blocksByDefault: boolean;
}

const V38: ModelTraits = {
  combinesParts: true,
  inputCancelsCalls: true,
  updatesContext: true,
  takesContent: true,
  blocksByDefault: false,
};
const V31: ModelTraits = {
  combinesParts: true,
  inputCancelsCalls: false,
  updatesContext: false,
  takesContent: true,
  blocksByDefault: true,
};
const V25: ModelTraits = { ...V31, combinesParts: false };

const MODELS: Readonly<Record<string, ModelTraits>> = {
  'gemini-3.8-live': V38,
  'gemini-3.8-live-extended-thinking': V38,
  'gemini-3.1-flash-live-preview': V31,
  'gemini-2.5-flash-native-audio-preview-09-2025': V25,
  'gemini-2.5-flash-native-audio-preview-12-2025': V25,
};

/**
 * Returns the traits of the set-up's model, or why it is refused. Sources: ai.google.dev/gemini-api/docs/models
 * (gemini-3.8-live, gemini-3.1-flash-live-preview); where the texts are not published, they are the plain
 * "invalid argument".
 */
export function checkModel(setup: Setup): ModelTraits | Refusal {
  const name = setup.model.replace(/^models\//, '');
  const traits = MODELS[name];
  if (!traits) {
    return {
      code: 1008,
      reason:
        `${setup.model} is not found for API version v1beta, or is not supported for bidiGenerateContent. ` +
        'Call ListModels to see the list of available models and their supported methods.',
    };
  }
  const modalities = setup.generationConfig?.responseModalities ?? ['AUDIO'];
  if (modalities.length !== 1 || modalities[0] !== 'AUDIO') {
    return {
      code: 1007,
      reason: `The requested combination of response modalities (${modalities.join(', ')}) is not supported by the model.`,
    };
  }
  const { thinkingConfig } = setup.generationConfig ?? {};
  const invalid =
    // 3.8 without extended thinking takes no thinking configuration and cannot be silenced by proactivity.
    (name === 'gemini-3.8-live' && thinkingConfig !== undefined) ||
    (traits.updatesContext && setup.proactivity?.proactiveAudio === false) ||
    (name === 'gemini-3.1-flash-live-preview' && setup.proactivity !== undefined) ||
    (!traits.combinesParts && thinkingConfig?.thinkingLevel !== undefined) ||
    (traits.combinesParts && thinkingConfig?.thinkingBudget !== undefined);
  if (invalid) return { code: 1007, reason: 'Request contains an invalid argument.' };
  // Seen with native audio of 2.5; which codes it takes, if any, is not published.
  const language = setup.generationConfig?.speechConfig?.languageCode;
  if (!traits.combinesParts && language !== undefined) {
    return {
      code: 1007,
      reason: `Unsupported language code '${language}' for model ${setup.model}`,
    };
  }
  return traits;
}
