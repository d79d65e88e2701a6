import type {
  FunctionTool,
  RealtimeFormat,
  SessionUpdate,
  ToolChoice,
  TurnDetection,
} from './session-schema.js';

type Present<T> = Exclude<T, undefined>;
type AudioUpdate = Present<SessionUpdate['audio']>;
type InputUpdate = Present<AudioUpdate['input']>;
type OutputUpdate = Present<AudioUpdate['output']>;

/** A session's effective configuration. */
export interface SessionConfig {
  readonly instructions: string;
  readonly output_modalities: readonly ['audio' | 'text'];
  readonly tools: readonly FunctionTool[];
  readonly tool_choice: ToolChoice;
  readonly max_output_tokens: number | 'inf';
  readonly truncation: Present<SessionUpdate['truncation']>;
  readonly tracing: Present<SessionUpdate['tracing']>;
  readonly prompt: Present<SessionUpdate['prompt']>;
  readonly include: readonly string[] | null;
  readonly audio: {
    readonly input: {
      readonly format: RealtimeFormat;
      readonly transcription: Present<InputUpdate['transcription']>;
      readonly noise_reduction: Present<InputUpdate['noise_reduction']>;
      readonly turn_detection: TurnDetection | null;
    };
    readonly output: {
      readonly format: RealtimeFormat;
      readonly voice: Present<OutputUpdate['voice']>;
      readonly speed: number;
    };
  };
}

/** What a session has until its client says otherwise: it detects turns and answers them by itself. */
export const DEFAULT_CONFIG: SessionConfig = {
  instructions: 'You are a helpful, witty, and friendly AI.',
  output_modalities: ['audio'],
  tools: [],
  tool_choice: 'auto',
  max_output_tokens: 'inf',
  truncation: 'auto',
  tracing: null,
  prompt: null,
  include: null,
  audio: {
    input: {
      format: { type: 'audio/pcm', rate: 24_000 },
      transcription: null,
      noise_reduction: null,
      turn_detection: {
        type: 'server_vad',
        threshold: 0.5,
        prefix_padding_ms: 300,
        silence_duration_ms: 200,
        idle_timeout_ms: null,
        create_response: true,
        interrupt_response: true,
      },
    },
    output: { format: { type: 'audio/pcm', rate: 24_000 }, voice: 'alloy', speed: 1 },
  },
};

/** Applies an update to a configuration: what is present replaces, also by null; the rest stays. Pure. */
export function updated(config: SessionConfig, update: SessionUpdate): SessionConfig {
  const {
    type: _type,
    model: _model,
    parallel_tool_calls: _parallel,
    reasoning: _effort,
    audio,
    ...top
  } = update;
  return {
    ...config,
    ...present(top),
    audio: {
      input: { ...config.audio.input, ...present(audio?.input ?? {}) },
      output: { ...config.audio.output, ...present(audio?.output ?? {}) },
    },
  };
}

function present<T extends object>(fields: T): { [K in keyof T]: Present<T[K]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Present<T[K]> };
}
