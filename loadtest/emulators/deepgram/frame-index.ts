import { FRAME_BYTES, type Phrase } from './phrasebook.js';

/** Where in the phrasebook a frame was found. */
export interface Match {
  readonly phrase: Phrase;
  /** Number of the frame within the phrase's audio. */
  readonly frame: number;
}

const SILENCE = 0xff;

const SILENT_KEY = '\u00ff'.repeat(FRAME_BYTES);

function keyOf(frame: Uint8Array): string {
  return Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).toString('latin1');
}

export function isSilent(frame: Uint8Array): boolean {
  return frame.every((byte) => byte === SILENCE);
}

/**
 * Finds known speech by its exact bytes. Silent frames are left out: they say nothing about where one is.
 */
export class FrameIndex {
  readonly #byBytes = new Map<string, Match[]>();
  readonly #frames = new Map<Phrase, string[]>();

  constructor(phrasebook: readonly Phrase[]) {
    for (const phrase of phrasebook) this.#add(phrase);
  }

  /**
   * The place of a frame: the one after `previous` when its bytes agree (also where they are silent:
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

  /** How many silent frames come directly before a place: whoever hears from there on has missed nothing of them. */
  silenceBefore({ phrase, frame }: Match): number {
    const keys = this.#frames.get(phrase) ?? [];
    let count = 0;
    while (count < frame && keys[frame - 1 - count] === SILENT_KEY) count += 1;
    return count;
  }

  #add(phrase: Phrase): void {
    const keys: string[] = [];
    for (let offset = 0; offset < phrase.audio.length; offset += FRAME_BYTES) {
      const frame = new Uint8Array(FRAME_BYTES).fill(SILENCE);
      frame.set(phrase.audio.subarray(offset, offset + FRAME_BYTES));
      const match = { phrase, frame: keys.length };
      const key = keyOf(frame);
      keys.push(key);
      if (isSilent(frame)) continue;
      const others = this.#byBytes.get(key);
      if (!others) this.#byBytes.set(key, [match]);
      else if (match.frame < others[0]!.frame) others.unshift(match);
      else others.push(match);
    }
    this.#frames.set(phrase, keys);
  }
}
