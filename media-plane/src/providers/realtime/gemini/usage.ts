import type { RealtimeUsage } from '../port.js';
import type { UsageMetadata } from './messages.js';

/** Tokens by modality; whatever is not audio (text, thoughts, results of tools) is billed as text. */
export function usageOf(usage: UsageMetadata): RealtimeUsage {
  const inputAudio = audioOf(usage.promptTokensDetails);
  const cachedAudio = Math.min(inputAudio, audioOf(usage.cacheTokensDetails));
  const inputText = Math.max(0, usage.promptTokenCount - inputAudio) + usage.toolUsePromptTokenCount;
  const cachedText = Math.min(inputText, Math.max(0, usage.cachedContentTokenCount - cachedAudio));
  // Without details an answer of an audio model is audio.
  const detailed = usage.responseTokensDetails.length > 0;
  const outputAudio = detailed ? audioOf(usage.responseTokensDetails) : usage.responseTokenCount;
  return {
    inputAudioTokens: inputAudio,
    inputTextTokens: inputText,
    cachedAudioTokens: cachedAudio,
    cachedTextTokens: cachedText,
    outputAudioTokens: outputAudio,
    outputTextTokens: Math.max(0, usage.responseTokenCount - outputAudio) + usage.thoughtsTokenCount,
  };
}

function audioOf(counts: UsageMetadata['promptTokensDetails']): number {
  return counts.reduce((sum, { modality, tokenCount }) => sum + (modality === 'AUDIO' ? tokenCount : 0), 0);
}
