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

/**
 * Finds known speech of one format by its exact bytes: the phrases' mu-law, converted. Silent frames are left
 * out: they say nothing about where one is.
 */
export class FrameIndex {
  readonly #byBytes = new Map<string, Match[]>();
  readonly #frames = new Map<Phrase, string[]>();

  /** Bytes of a frame of 20 ms. */
  readonly frameBytes: number;
  readonly #format: AudioFormat;
  readonly #silence: number;
  readonly #silentKey: string;

  constructor(phrasebook: readonly Phrase[], format: AudioFormat = PCMU_8K) {
    this.#format = format;
    this.frameBytes = frameBytes(format);
    this.#silence = silenceByte(format);
    this.#silentKey = keyOf(new Uint8Array(this.frameBytes).fill(this.#silence));
    for (const phrase of phrasebook) this.#add(phrase);
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

  #add(phrase: Phrase): void {
    const keys: string[] = [];
    const audio = convertAudio(phrase.audio, { from: PCMU_8K, to: this.#format });
    for (let offset = 0; offset < audio.length; offset += this.frameBytes) {
      const frame = new Uint8Array(this.frameBytes).fill(this.#silence);
      frame.set(audio.subarray(offset, offset + this.frameBytes));
      const match = { phrase, frame: keys.length };
      const key = keyOf(frame);
      keys.push(key);
      if (this.isSilent(frame)) continue;
      const others = this.#byBytes.get(key);
      if (!others) this.#byBytes.set(key, [match]);
      else if (match.frame < others[0]!.frame) others.unshift(match);
      else others.push(match);
    }
    this.#frames.set(phrase, keys);
  }
}
