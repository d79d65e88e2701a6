import type { GeminiLiveParams } from '@voice/shared/catalogue/params/gemini-live';
import type { LlmTool } from '@voice/shared/language-model/conversation';
import type { RealtimeOptions } from '../port.js';
import type { ModelTraits } from './models.js';

export interface SetupOptions {
  readonly model: string;
  readonly traits: ModelTraits;
  readonly params: GeminiLiveParams;
  readonly tools: readonly LlmTool[];
  /** Of the session to resume. */
  readonly handle?: string;
  /** History follows as content. */
  readonly withHistory: boolean;
  readonly options: Pick<RealtimeOptions, 'instructions' | 'language' | 'turnDetection'>;
}

/** Builds the first message of a connection (`BidiGenerateContentSetup`; types of @google/genai 2.32.0). */
export function setupMessage(setup: SetupOptions): Record<string, unknown> {
  const { model, traits, tools, handle, withHistory, options } = setup;
  return {
    setup: {
      model: `models/${model}`,
      generationConfig: generationConfig(setup),
      ...(options.instructions === ''
        ? {}
        : { systemInstruction: { parts: [{ text: options.instructions }] } }),
      ...(tools.length === 0 ? {} : { tools: toolList(tools, traits) }),
      realtimeInputConfig: realtimeInputConfig(setup),
      sessionResumption: handle === undefined ? {} : { handle },
      // Without it a session of audio ends after 15 minutes.
      contextWindowCompression: { slidingWindow: {} },
      inputAudioTranscription: {},
      outputAudioTranscription: {},
      ...(withHistory && traits.announcesHistory
        ? { historyConfig: { initialHistoryInClientContent: true } }
        : {}),
    },
  };
}

function generationConfig({ traits, params, options }: SetupOptions): Record<string, unknown> {
  const voice = params.voice;
  const languageCode = traits.takesLanguage ? (params.language ?? options.language) : undefined;
  const speechConfig = {
    ...(voice === undefined ? {} : { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } }),
    ...(languageCode === undefined ? {} : { languageCode }),
  };
  const thinkingConfig = thinking(traits, params);
  return {
    responseModalities: ['AUDIO'],
    ...(Object.keys(speechConfig).length === 0 ? {} : { speechConfig }),
    ...(thinkingConfig ? { thinkingConfig } : {}),
    ...(params.temperature === undefined ? {} : { temperature: params.temperature }),
    ...(params.top_p === undefined ? {} : { topP: params.top_p }),
    ...(params.max_output_tokens === undefined ? {} : { maxOutputTokens: params.max_output_tokens }),
  };
}

/** Asks for as little thinking as the model allows: a caller waits for it. */
function thinking(traits: ModelTraits, params: GeminiLiveParams): Record<string, unknown> | undefined {
  switch (traits.thinking) {
    case 'budget':
      return { thinkingBudget: params.thinking_budget ?? 0 };
    case 'level': {
      // Extended thinking of 3.8 knows low, medium and high only.
      const least = traits.updatesContext ? 'low' : 'minimal';
      return { thinkingLevel: (params.thinking_level ?? least).toUpperCase() };
    }
    case 'none':
      return undefined;
  }
}

/**
 * Configures turn detection. With our own the start of activity interrupts: it is sent only when the caller has the
 * floor. With the provider's it must not: whether a caller who speaks meanwhile interrupts is our decision.
 */
function realtimeInputConfig({ params, options }: SetupOptions): Record<string, unknown> {
  if (options.turnDetection === 'ours') {
    return {
      automaticActivityDetection: { disabled: true },
      activityHandling: 'START_OF_ACTIVITY_INTERRUPTS',
      turnCoverage: 'TURN_INCLUDES_ONLY_ACTIVITY',
    };
  }
  const { vad_start_sensitivity: start, vad_end_sensitivity: end } = params;
  const { vad_prefix_padding_ms: prefixPaddingMs, vad_silence_ms: silenceDurationMs } = params;
  return {
    automaticActivityDetection: {
      ...(start ? { startOfSpeechSensitivity: `START_SENSITIVITY_${start.toUpperCase()}` } : {}),
      ...(end ? { endOfSpeechSensitivity: `END_SENSITIVITY_${end.toUpperCase()}` } : {}),
      ...(prefixPaddingMs === undefined ? {} : { prefixPaddingMs }),
      ...(silenceDurationMs === undefined ? {} : { silenceDurationMs }),
    },
    activityHandling: 'NO_INTERRUPTION',
    turnCoverage: 'TURN_INCLUDES_ONLY_ACTIVITY',
  };
}

/** Builds the function declarations; the arguments' schema goes as JSON Schema, which `parameters` would not take. */
export function toolList(tools: readonly LlmTool[], traits: ModelTraits): readonly unknown[] {
  const functionDeclarations = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
    ...(traits.declaresBlocking ? { behavior: 'BLOCKING' } : {}),
  }));
  return functionDeclarations.length === 0 ? [] : [{ functionDeclarations }];
}
