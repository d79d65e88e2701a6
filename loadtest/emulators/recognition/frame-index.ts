import { convertAudio } from '@voice/shared/audio/converter';
import { type AudioFormat, frameBytes, PCMU_8K, silenceByte } from '@voice/shared/audio/format';
import type { Phrase } from './phrasebook.js';

/** Where in the phrasebook a frame was found. */
export interface Match {
  readonly phrase: Phrase;
  /** Number of the frame within the phrase's audio. */
  readonly frame: number;
}

function keyOf(frame: Uint8Array): string {
  return Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).toString('latin1');
}

/** Keys of a phrase's frames by format, for the next connection or emulator with the same phrasebook. */
const framed = new WeakMap<Phrase, Map<string, readonly string[]>>();

/** Returns the keys of a phrase's frames of 20 ms in a format, the last one filled with silence. */
function keysOf(phrase: Phrase, format: AudioFormat): readonly string[] {
  const byFormat = framed.get(phrase) ?? new Map<string, readonly string[]>();
  framed.set(phrase, byFormat);
  const name = `${format.encoding} ${format.sampleRate}`;
  const keys = byFormat.get(name) ?? makeKeys(phrase, format);
  byFormat.set(name, keys);
  return keys;
}

function makeKeys(phrase: Phrase, format: AudioFormat): readonly string[] {
  const audio = convertAudio(phrase.audio, { from: PCMU_8K, to: format });
  const size = frameBytes(format);
  const keys: string[] = [];
  for (let offset = 0; offset < audio.length; offset += size) {
    const frame = new Uint8Array(size).fill(silenceByte(format));
    frame.set(audio.subarray(offset, offset + size));
    keys.push(keyOf(frame));
  }
  return keys;
}

/**
 * Finds known speech of one format by its exact bytes: the phrases' mu-law, converted. Silent frames are left
 * out: they say nothing about where one is.
 */
export class FrameIndex {
  readonly #byBytes = new Map<string, Match[]>();
  readonly #frames = new Map<Phrase, readonly string[]>();

  /** Bytes of a frame of 20 ms. */
  readonly frameBytes: number;
  readonly #silence: number;
  readonly #silentKey: string;

  constructor(phrasebook: readonly Phrase[], format: AudioFormat = PCMU_8K) {
    this.frameBytes = frameBytes(format);
    this.#silence = silenceByte(format);
    this.#silentKey = keyOf(new Uint8Array(this.frameBytes).fill(this.#silence));
    for (const phrase of phrasebook) this.#add(phrase, format);
  }

  isSilent(frame: Uint8Array): boolean {
    return frame.every((byte) => byte === this.#silence);
  }

  /**
   * Returns the place of a frame: the one after `previous` when its bytes agree (also where they are silent:
   * a pause within the phrase), else any place with these bytes, the first frames of phrases preferred.
   */
  find(frame: Uint8Array, previous: Match | undefined): Match | undefined {
    const key = keyOf(frame);
    if (previous) {
      const next = previous.frame + 1;
      if (this.#frames.get(previous.phrase)?.[next] === key) return { phrase: previous.phrase, frame: next };
    }
    const matches = this.#byBytes.get(key);
    if (!matches) return undefined;
    // Phrases may begin alike: then follow the one that goes on as this one went.
    const same = previous && matches.find((match) => match.frame === previous.frame + 1);
    return same ?? matches[0];
  }

  /** Counts the silent frames directly before a place: a listener that starts there has missed nothing of them. */
  silenceBefore({ phrase, frame }: Match): number {
    const keys = this.#frames.get(phrase) ?? [];
    let count = 0;
    while (count < frame && keys[frame - 1 - count] === this.#silentKey) count += 1;
    return count;
  }

  #add(phrase: Phrase, format: AudioFormat): void {
    const keys = keysOf(phrase, format);
    for (const [frame, key] of keys.entries()) {
      if (key === this.#silentKey) continue;
      const match = { phrase, frame };
      const others = this.#byBytes.get(key);
      if (!others) this.#byBytes.set(key, [match]);
      else if (frame < others[0]!.frame) others.unshift(match);
      else others.push(match);
    }
    this.#frames.set(phrase, keys);
  }
}
