import type { Entry } from './conversation.js';
import type { FunctionTool } from './session-schema.js';

/** Audio of a user is a token each 100 ms, audio of the model one each 50 ms (OpenAI's guide to realtime costs). */
const USER_AUDIO_TOKEN_MS = 100;
const MODEL_AUDIO_TOKEN_MS = 50;

export interface InputTokens {
  readonly text: number;
  readonly audio: number;
}

/** Estimates tokens as the vendor's tokenizers make them of English: four characters each. */
export function textTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

export function modelAudioTokens(ms: number): number {
  return Math.ceil(ms / MODEL_AUDIO_TOKEN_MS);
}

export function userAudioTokens(ms: number): number {
  return Math.ceil(ms / USER_AUDIO_TOKEN_MS);
}

/** Counts what a response reads: instructions, tools and all items, those with audio as audio. */
export function inputTokens(
  instructions: string,
  tools: readonly FunctionTool[],
  entries: readonly Entry[],
): InputTokens {
  let text = textTokens(instructions) + (tools.length === 0 ? 0 : textTokens(JSON.stringify(tools)));
  let audio = 0;
  for (const { item, understood, audioMs } of entries) {
    if (item.type === 'function_call') text += textTokens(item.name + item.arguments);
    else if (item.type === 'function_call_output') text += textTokens(item.output);
    else if (audioMs === 0) text += textTokens(understood);
    else audio += item.role === 'user' ? userAudioTokens(audioMs) : modelAudioTokens(audioMs);
  }
  return { text, audio };
}

/** Builds `usage` of `response.done`; what the response before read, too, came from the cache. */
export function responseUsage(
  input: InputTokens,
  cached: InputTokens,
  output: InputTokens,
): Readonly<Record<string, unknown>> {
  const cachedText = Math.min(cached.text, input.text);
  const cachedAudio = Math.min(cached.audio, input.audio);
  const inputTotal = input.text + input.audio;
  const outputTotal = output.text + output.audio;
  return {
    total_tokens: inputTotal + outputTotal,
    input_tokens: inputTotal,
    output_tokens: outputTotal,
    input_token_details: {
      text_tokens: input.text,
      audio_tokens: input.audio,
      image_tokens: 0,
      cached_tokens: cachedText + cachedAudio,
      cached_tokens_details: { text_tokens: cachedText, audio_tokens: cachedAudio, image_tokens: 0 },
    },
    output_token_details: { text_tokens: output.text, audio_tokens: output.audio },
  };
}
