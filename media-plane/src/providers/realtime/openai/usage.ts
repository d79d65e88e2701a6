import type { RealtimeUsage } from '../port.js';
import type { ResponseUsage, TranscriptionUsage } from './server-events.js';

/** Returns what a response is billed; undefined when the service reports nothing of it. */
export function usageOfResponse(usage: ResponseUsage | null | undefined): RealtimeUsage | undefined {
  if (!usage) return undefined;
  const input = usage.input_token_details;
  const cached = input?.cached_tokens_details;
  const output = usage.output_token_details;
  return {
    inputAudioTokens: input?.audio_tokens ?? 0,
    inputTextTokens: input?.text_tokens ?? 0,
    cachedAudioTokens: cached?.audio_tokens ?? 0,
    // Cached tokens whose kind is not reported count as text: the dearer reading for the cheaper kind.
    cachedTextTokens: cached?.text_tokens ?? (cached ? 0 : (input?.cached_tokens ?? 0)),
    outputAudioTokens: output?.audio_tokens ?? 0,
    outputTextTokens: output?.text_tokens ?? 0,
  };
}

/** Returns what transcribing the caller's words is billed; undefined for models that are billed by the second. */
export function usageOfTranscription(
  usage: TranscriptionUsage | null | undefined,
): RealtimeUsage | undefined {
  if (typeof usage?.input_tokens !== 'number') return undefined;
  const text = usage.input_token_details?.text_tokens ?? 0;
  return {
    inputAudioTokens: usage.input_token_details?.audio_tokens ?? usage.input_tokens - text,
    inputTextTokens: text,
    cachedAudioTokens: 0,
    cachedTextTokens: 0,
    outputAudioTokens: 0,
    outputTextTokens: usage.output_tokens ?? 0,
  };
}
