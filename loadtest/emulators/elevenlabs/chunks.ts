import { convertAudio } from '@voice/shared/audio/converter';
import { type AudioFormat, bytesPerMs, PCMU_8K } from '@voice/shared/audio/format';
import type { CharTiming, RenderedSpeech } from '../synthesis/speech.js';

export interface AudioMessage {
  readonly audio: string;
  readonly isFinal: null;
  readonly normalizedAlignment: Alignment | null;
  readonly alignment: Alignment | null;
}

interface Alignment {
  readonly chars: string[];
  readonly charStartTimesMs: number[];
  readonly charDurationsMs: number[];
}

/**
 * Cuts speech into the service's messages. A message's alignment counts from its own first character, and
 * a character belongs to the message in which it begins, so only the sums of audio and alignment agree.
 * Without `sync` the first message has the alignment of all.
 */
export function* audioMessages(
  speech: RenderedSpeech,
  { chunkMs, sync, format }: { chunkMs: number; sync: boolean; format: AudioFormat },
): Generator<{ message: AudioMessage; audioMs: number }> {
  const all = convertAudio(speech.audio, { from: PCMU_8K, to: format });
  const perMs = bytesPerMs(format);
  const step = Math.max(1, Math.round(chunkMs)) * perMs;
  for (let offset = 0; offset < all.length; offset += step) {
    const audio = all.subarray(offset, offset + step);
    const fromMs = offset / perMs;
    const last = offset + step >= all.length;
    const untilMs = last ? Number.POSITIVE_INFINITY : fromMs + audio.length / perMs;
    const chars = sync ? startingWithin(speech.chars, fromMs, untilMs) : offset === 0 ? speech.chars : [];
    const alignment = chars.length === 0 ? null : alignmentOf(chars);
    yield {
      message: {
        audio: Buffer.from(audio).toString('base64'),
        isFinal: null,
        normalizedAlignment: alignment,
        alignment,
      },
      audioMs: audio.length / perMs,
    };
  }
}

function startingWithin(chars: readonly CharTiming[], fromMs: number, untilMs: number): CharTiming[] {
  return chars.filter((timing) => timing.startMs >= fromMs && timing.startMs < untilMs);
}

/** Builds the alignment in whole ms, rounded so that no error adds up. */
function alignmentOf(chars: readonly CharTiming[]): Alignment {
  const originMs = Math.round(chars[0]!.startMs);
  return {
    chars: chars.map((timing) => timing.char),
    charStartTimesMs: chars.map((timing) => Math.round(timing.startMs) - originMs),
    charDurationsMs: chars.map((timing) => Math.round(timing.endMs) - Math.round(timing.startMs)),
  };
}
