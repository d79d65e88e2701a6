import { createHash } from 'node:crypto';
import type { AudioFormat } from '@voice/shared/audio/format';
import type { OpenAiRealtimeParams } from '@voice/shared/catalogue/params/openai-realtime';
import type { LlmTool } from '@voice/shared/language-model/conversation';
import type {
  ConversationItem,
  RealtimeAudioFormats,
  RealtimeAudioInputTurnDetection,
  RealtimeClientEvent,
  RealtimeFunctionTool,
  RealtimeSessionCreateRequest,
} from 'openai/resources/realtime/realtime';
import type { RealtimeHistoryItem, RealtimeOptions, RespondRequest } from '../port.js';

/** What the service says of ids that are longer: it refuses them. */
const MAX_ID_LENGTH = 32;

/**
 * Names a format: G.711 goes as the line has it; everything else as 24 kHz PCM, the only rate that the service takes.
 */
function audioFormat({ encoding }: AudioFormat): RealtimeAudioFormats {
  switch (encoding) {
    case 'pcmu':
      return { type: 'audio/pcmu' };
    case 'pcma':
      return { type: 'audio/pcma' };
    case 'l16':
      return { type: 'audio/pcm', rate: 24_000 };
  }
}

export function sessionUpdate(
  options: Pick<RealtimeOptions, 'instructions' | 'language' | 'tools' | 'format' | 'turnDetection'>,
  params: OpenAiRealtimeParams,
  eventId: string,
): RealtimeClientEvent {
  const format = audioFormat(options.format);
  const session: RealtimeSessionCreateRequest = {
    type: 'realtime',
    output_modalities: ['audio'],
    instructions: options.instructions,
    tools: toTools(options.tools),
    tool_choice: 'auto',
    ...(params.max_output_tokens === undefined ? {} : { max_output_tokens: params.max_output_tokens }),
    ...(params.reasoning_effort === undefined ? {} : { reasoning: { effort: params.reasoning_effort } }),
    audio: {
      input: {
        format,
        turn_detection: options.turnDetection === 'ours' ? null : turnDetection(params),
        ...transcription(params, options.language),
        // The SDK's types lack the null that its documentation asks for.
        ...(params.noise_reduction ? { noise_reduction: { type: params.noise_reduction } } : {}),
      },
      output: {
        format,
        ...(params.voice === undefined ? {} : { voice: params.voice }),
        ...(params.speed === undefined ? {} : { speed: params.speed }),
      },
    },
  };
  return { type: 'session.update', event_id: eventId, session };
}

/**
 * Configures turn detection: the service only reports where turns begin and end; when to answer and to stop is decided
 * here.
 */
function turnDetection({ turn_detection: wanted }: OpenAiRealtimeParams): RealtimeAudioInputTurnDetection {
  return { ...(wanted ?? { type: 'server_vad' }), create_response: false, interrupt_response: false };
}

function transcription(
  { transcription_model: model, transcription_prompt: prompt }: OpenAiRealtimeParams,
  language: string,
) {
  if (model === null) return {};
  // ISO 639-1, which is BCP 47's first part where that has two letters.
  const code = /^[a-z]{2}(?=-|$)/i.exec(language)?.[0].toLowerCase();
  return {
    transcription: {
      model,
      ...(code === undefined ? {} : { language: code }),
      ...(prompt === undefined ? {} : { prompt }),
    },
  };
}

export function toolsUpdate(tools: readonly LlmTool[]): RealtimeClientEvent {
  return { type: 'session.update', session: { type: 'realtime', tools: toTools(tools) } };
}

function toTools(tools: readonly LlmTool[]): RealtimeFunctionTool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    parameters,
  }));
}

export function itemCreate(item: RealtimeHistoryItem): RealtimeClientEvent {
  return { type: 'conversation.item.create', item: toItem(item) };
}

function toItem(item: RealtimeHistoryItem): ConversationItem {
  switch (item.role) {
    case 'user':
    case 'system':
      return { type: 'message', role: item.role, content: [{ type: 'input_text', text: item.text }] };
    case 'assistant':
      return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: item.text }] };
    case 'tool_call': {
      const { id, name, arguments: args } = item.call;
      return { type: 'function_call', call_id: callId(id), name, arguments: args };
    }
    case 'tool_result':
      return { type: 'function_call_output', call_id: callId(item.callId), output: item.text };
  }
}

/** Shortens the id of another model's call, in a history that is taken over: it may be too long here. */
function callId(id: string): string {
  if (id.length <= MAX_ID_LENGTH) return id;
  return `call_${createHash('sha256')
    .update(id)
    .digest('hex')
    .slice(0, MAX_ID_LENGTH - 5)}`;
}

/** @param tag comes back with the response, so that it is known for ours */
export function responseCreate(
  { verbatim }: RespondRequest,
  tag: string,
  eventId: string,
): RealtimeClientEvent {
  const metadata = { tag };
  if (verbatim === undefined) {
    return { type: 'response.create', event_id: eventId, response: { metadata } };
  }
  return {
    type: 'response.create',
    event_id: eventId,
    response: {
      metadata,
      instructions: `Say exactly the following, word for word, and nothing else: ${verbatim}`,
      // Without the conversation before it, there is nothing that the model could answer instead.
      input: [],
      tools: [],
      tool_choice: 'none',
    },
  };
}
