import type { CallUsage, UsageSegment } from '@voice/shared/contracts/call-events';
import { tokenCount } from '@voice/shared/contracts/token-count';
import { NO_REALTIME_USAGE, type RealtimeUsage } from '../../providers/realtime/port.js';

export interface RealtimeSource {
  readonly provider: string;
  readonly model: string;
  readonly transcription: string | undefined;
}

/** Adds up what a call's responses used, by modality. */
export class RealtimeUsageMeter {
  #total = NO_REALTIME_USAGE;

  add(usage: RealtimeUsage): void {
    const total = this.#total;
    this.#total = {
      inputAudioTokens: total.inputAudioTokens + tokenCount(usage.inputAudioTokens),
      inputTextTokens: total.inputTextTokens + tokenCount(usage.inputTextTokens),
      cachedAudioTokens: total.cachedAudioTokens + tokenCount(usage.cachedAudioTokens),
      cachedTextTokens: total.cachedTextTokens + tokenCount(usage.cachedTextTokens),
      outputAudioTokens: total.outputAudioTokens + tokenCount(usage.outputAudioTokens),
      outputTextTokens: total.outputTextTokens + tokenCount(usage.outputTextTokens),
    };
  }

  /**
   * @param source names the model, and the one that transcribes where that is billed by itself
   * @param audioMs of the caller that the model was sent
   */
  usage(source: RealtimeSource, audioMs: number): CallUsage {
    const none = { provider: '', model: '' };
    const total = this.#total;
    const tokens = {
      audio_ms: Math.round(audioMs),
      input_audio_tokens: total.inputAudioTokens,
      input_text_tokens: total.inputTextTokens,
      cached_audio_tokens: total.cachedAudioTokens,
      cached_text_tokens: total.cachedTextTokens,
      output_audio_tokens: total.outputAudioTokens,
      output_text_tokens: total.outputTextTokens,
    };
    const { provider, model, transcription } = source;
    const segments: UsageSegment[] = [];
    if (total !== NO_REALTIME_USAGE || audioMs > 0) {
      segments.push({ kind: 'realtime', provider, model, fallback: false, ...tokens });
    }
    if (transcription !== undefined && audioMs > 0) {
      segments.push({
        kind: 'stt',
        provider,
        model: transcription,
        fallback: false,
        audio_ms: tokens.audio_ms,
      });
    }
    return {
      stt:
        transcription === undefined
          ? { ...none, audio_ms: 0 }
          : { provider, model: transcription, audio_ms: tokens.audio_ms },
      llm: { ...none, input_tokens: 0, output_tokens: 0 },
      tts: { ...none, characters: 0 },
      realtime: { provider, model, ...tokens },
      segments,
    };
  }
}
