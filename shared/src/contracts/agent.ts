import { z } from 'zod';
import { e164, uuid } from './primitives.js';

/** A provider, its model and its own parameters (an OpenAI-compatible server is `params.base_url`). */
export const providerChoice = z
  .object({
    provider: z.string().min(1).max(64),
    model: z.string().max(128).default(''),
    params: z.record(z.string().max(64), z.unknown()).default({}),
  })
  .meta({ title: 'ProviderChoice' });
export type ProviderChoice = z.infer<typeof providerChoice>;

export const cascadedVoiceConfig = z.object({
  stt: providerChoice,
  llm: providerChoice,
  tts: providerChoice,
});
export const realtimeVoiceConfig = z.object({ realtime: providerChoice });
export const voiceConfig = z.union([cascadedVoiceConfig, realtimeVoiceConfig]);
export type VoiceConfig = z.infer<typeof voiceConfig>;

export const pipelineType = z.enum(['cascaded', 'realtime']).meta({ title: 'PipelineType' });
export type PipelineType = z.infer<typeof pipelineType>;

const PREEMPTIVE_GENERATION = ['off', 'llm', 'llm_and_voice'] as const;
/** Agents and decision logs of before have it on or off. */
const preemptiveGeneration = z.preprocess(
  (value) => (typeof value === 'boolean' ? (value ? 'llm' : 'off') : value),
  z.enum(PREEMPTIVE_GENERATION),
);

/**
 * Turn-taking settings, all in ms unless said otherwise: the default beside the documented range
 * (design: turn-taking).
 */
export const turnTakingSettings = z.object({
  /**
   * Who decides that the caller's turn is over when the agent is speech to speech: this service, by the settings
   * below, or the provider's own turn detection. Cascaded agents: always the service.
   */
  turn_detection: z.enum(['service', 'provider']).default('service'),
  /**
   * Whether a model listens to how the caller's speech ends (Smart Turn), and shortens or lengthens the pause that ends
   * the turn together with words and recogniser. Cascaded agents alone.
   */
  semantic_end_of_turn: z.enum(['off', 'on']).default('off'),
  min_endpointing_ms: z.number().int().min(0).max(5000).default(400),
  /** Minimum endpointing when the speech-to-text provider is confident that the turn ended. */
  confident_endpointing_ms: z.number().int().min(0).max(5000).default(250),
  max_endpointing_ms: z.number().int().min(200).max(15000).default(3000),
  /** Confidence (0..1) from which a provider's end of turn counts. */
  end_of_turn_confidence: z.number().min(0).max(1).default(0.7),
  /** What of an answer is made before the caller's turn is surely over: nothing, its text, or its first audio too. */
  preemptive_generation: preemptiveGeneration.default('llm'),
  eager_stable_interim_ms: z.number().int().min(50).max(5000).default(250),
  barge_in_pause_ms: z.number().int().min(20).max(5000).default(120),
  barge_in_min_speech_ms: z.number().int().min(20).max(5000).default(400),
  barge_in_min_words: z.number().int().min(1).max(20).default(2),
  false_interruption_ms: z.number().int().min(100).max(10000).default(1500),
  filler_delay_ms: z.number().int().min(200).max(20000).default(1200),
  /** Said when a tool or the model is slow; an empty list switches fillers off. */
  fillers: z.array(z.string().min(1).max(200)).max(10).default(['One moment, please.']),
  silence_prompts: z
    .array(z.string().min(1).max(300))
    .max(5)
    .default(['Are you still there?', 'Can you hear me?']),
  /** Said when the model or the voice failed; empty: a sentence in the agent's language. */
  apology: z.string().max(300).default(''),
  silence_goodbye: z.string().max(300).default('I cannot hear you, so I will hang up now. Goodbye.'),
  vad_on: z.number().min(0.05).max(0.99).default(0.5),
  vad_off: z.number().min(0.01).max(0.95).default(0.35),
  vad_min_speech_ms: z.number().int().min(20).max(1000).default(60),
  vad_min_silence_ms: z.number().int().min(40).max(2000).default(200),
});
export type TurnTakingSettings = z.infer<typeof turnTakingSettings>;

const toolName = z
  .string()
  .regex(/^[a-zA-Z][a-zA-Z0-9_]{0,63}$/, 'letters, digits and underscores, a letter first');
const description = z.string().max(1024).default('');
/** The recording pauses while the tool runs, and its arguments and result are kept out of the record. */
const sensitive = z.boolean().optional();
/** What becomes of a tool that runs when the caller speaks: it goes on (by default), or is given up. */
const when_caller_speaks = z.enum(['continue', 'cancel']).optional();
/** A JSON Schema object for a tool's parameters. */
export const jsonSchemaObject = z.record(z.string(), z.unknown()).default({ type: 'object', properties: {} });

/** Language models take 128 tools at most: the agent's own and the servers' stay below that together. */
export const MCP_SERVERS_PER_AGENT = 3;
export const MCP_TOOLS_PER_SERVER = 32;

const headerName = z
  .string()
  .max(128)
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be the name of an HTTP header');
const headerValue = z
  .string()
  .max(2048)
  .regex(/^[\x20-\x7e]*$/, 'printable ASCII only');

/** The protocol's own headers, and those that the connection needs. */
const RESERVED_HEADER =
  /^(mcp-.*|accept|content-type|content-length|connection|host|transfer-encoding|upgrade)$/i;
const mcpHeaders = z.record(
  headerName.refine((name) => !RESERVED_HEADER.test(name), 'is set by the protocol'),
  headerValue,
);

/** An agent of the same tenant that a live call can be handed to. */
export const handoffTarget = z
  .object({
    agent_id: uuid,
    /** By what name the model chooses it. */
    name: z.string().min(1).max(100),
    /** When the caller is handed to it. */
    description: z.string().max(500).default(''),
  })
  .meta({ title: 'HandoffTarget' });

export const agentTool = z.discriminatedUnion('type', [
  z.object({ type: z.literal('end_call'), name: toolName.default('end_call'), description }),
  z.object({
    type: z.literal('transfer_call'),
    name: toolName.default('transfer_call'),
    description,
    transfer_type: z.enum(['warm', 'cold']).default('cold'),
  }),
  z.object({ type: z.literal('send_dtmf'), name: toolName.default('send_dtmf'), description }),
  z.object({
    type: z.literal('http'),
    name: toolName,
    description,
    parameters: jsonSchemaObject,
    url: z.url(),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
    headers: z.record(z.string().max(128), z.string().max(2048)).default({}),
    /** Headers whose values are secret. */
    secret_headers: z.record(headerName, headerValue).optional(),
    timeout_ms: z.number().int().min(100).max(60000).default(10000),
    /** HMAC key for the request's signature. */
    secret: z.string().max(256).optional(),
    /** Whether calling it changes something outside; a speculative turn never runs such a tool. */
    side_effects: z.boolean().default(true),
    when_caller_speaks,
    sensitive,
  }),
  z.object({
    type: z.literal('integration'),
    name: toolName,
    description,
    integration: z.string().min(1).max(64),
    action: z.string().min(1).max(64),
    /** Of the arguments, and whether it changes something: filled in by the control plane for a call. */
    parameters: jsonSchemaObject.optional(),
    side_effects: z.boolean().optional(),
    when_caller_speaks,
    sensitive,
  }),
  z.object({
    type: z.literal('mcp'),
    name: toolName,
    description,
    server_url: z.url().max(2048),
    headers: mcpHeaders.default({}),
    /** Headers whose values are secret. */
    secret_headers: mcpHeaders.optional(),
    /** The names, as the server has them, of the tools that the agent gets; all of them by default. */
    allowed_tools: z.array(z.string().min(1).max(128)).min(1).max(MCP_TOOLS_PER_SERVER).optional(),
    timeout_ms: z.number().int().min(100).max(60000).default(10000),
    when_caller_speaks,
    sensitive,
  }),
  z.object({
    type: z.literal('transfer_to_agent'),
    name: toolName.default('transfer_to_agent'),
    description,
    agents: z
      .array(handoffTarget)
      .min(1)
      .max(10)
      .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'names must differ'),
  }),
]);
export type AgentTool = z.infer<typeof agentTool>;

export const transferDestination = z
  .object({ name: z.string().min(1).max(100), phone_number: e164 })
  .meta({ title: 'TransferDestination' });

export const voicemailSettings = z
  .object({
    detect: z.boolean().default(true),
    action: z.enum(['hangup', 'leave_message']).default('hangup'),
    message: z.string().max(1000).default(''),
  })
  .meta({ title: 'VoicemailSettings' });

export const recordingSettings = z.object({
  enabled: z.boolean().default(true),
  announce: z.boolean().default(false),
});

/** What a call needs to know of its agent, frozen at the call's creation. */
export const agentSnapshot = z.object({
  id: uuid,
  name: z.string(),
  pipeline_type: pipelineType,
  /** With the call's variables already rendered. */
  system_prompt: z.string(),
  first_message: z.string(),
  /** BCP 47, such as `en-US`. */
  language: z.string(),
  voice_config: voiceConfig,
  fallback_voice_config: z
    .object({
      stt: providerChoice.optional(),
      llm: providerChoice.optional(),
      tts: providerChoice.optional(),
    })
    .default({}),
  tools: z.array(agentTool),
  transfer_destinations: z.array(transferDestination).default([]),
  turn_taking: turnTakingSettings,
  max_duration_seconds: z.number().int().positive(),
  silence_timeout_seconds: z.number().positive(),
  voicemail: voicemailSettings,
  recording: recordingSettings,
  /**
   * The vendors that are reached with the tenant's own key, by name: what began on the tenant's account stays there,
   * and is never charged as the installation's. Absent: none.
   */
  own_vendors: z.array(z.string()).readonly().optional(),
});
export type AgentSnapshot = z.infer<typeof agentSnapshot>;
