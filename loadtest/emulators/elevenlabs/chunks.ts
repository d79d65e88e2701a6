import type { CharTiming, RenderedSpeech } from './speech.js';

const BYTES_PER_MS = 8;

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
  { chunkMs, sync }: { chunkMs: number; sync: boolean },
): Generator<{ message: AudioMessage; audioMs: number }> {
  const step = Math.max(1, Math.round(chunkMs)) * BYTES_PER_MS;
  for (let offset = 0; offset < speech.audio.length; offset += step) {
    const audio = speech.audio.subarray(offset, offset + step);
    const fromMs = offset / BYTES_PER_MS;
    const last = offset + step >= speech.audio.length;
    const untilMs = last ? Number.POSITIVE_INFINITY : fromMs + audio.length / BYTES_PER_MS;
    const chars = sync ? startingWithin(speech.chars, fromMs, untilMs) : offset === 0 ? speech.chars : [];
    const alignment = chars.length === 0 ? null : alignmentOf(chars);
    yield {
      message: {
        audio: Buffer.from(audio).toString('base64'),
        isFinal: null,
        normalizedAlignment: alignment,
        alignment,
      },
      audioMs: audio.length / BYTES_PER_MS,
    };
  }
}

function startingWithin(chars: readonly CharTiming[], fromMs: number, untilMs: number): CharTiming[] {
  return chars.filter((timing) => timing.startMs >= fromMs && timing.startMs < untilMs);
}

/** Whole ms, rounded so that no error adds up. */
function alignmentOf(chars: readonly CharTiming[]): Alignment {
  const originMs = Math.round(chars[0]!.startMs);
  return {
    chars: chars.map((timing) => timing.char),
    charStartTimesMs: chars.map((timing) => Math.round(timing.startMs) - originMs),
    charDurationsMs: chars.map((timing) => Math.round(timing.endMs) - Math.round(timing.startMs)),
  };
}
