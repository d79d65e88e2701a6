import type { SpokenWord } from './messages.js';

export interface SpokenChunk {
  /** Mu-law at 8,000 Hz. */
  readonly audio: Uint8Array;
  /** Words that this chunk completes; they count from the start of the whole text's audio. */
  readonly words?: readonly SpokenWord[];
}

/** Caches the texts spoken last (greetings repeat), within a limit of bytes; the one unused longest goes first. */
export class RenderedCache {
  readonly #limitBytes: number;
  readonly #rendered = new Map<string, readonly SpokenChunk[]>();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get(key: string): readonly SpokenChunk[] | undefined {
    const chunks = this.#rendered.get(key);
    if (chunks) {
      this.#rendered.delete(key);
      this.#rendered.set(key, chunks);
    }
    return chunks;
  }

  put(key: string, chunks: readonly SpokenChunk[]): void {
    const known = this.#rendered.get(key);
    if (known) {
      this.#rendered.delete(key);
      this.#bytes -= sizeOf(known);
    }
    const size = sizeOf(chunks);
    if (size > this.#limitBytes) return;
    this.#rendered.set(key, chunks);
    this.#bytes += size;
    for (const [oldest, old] of this.#rendered) {
      if (this.#bytes <= this.#limitBytes) break;
      this.#rendered.delete(oldest);
      this.#bytes -= sizeOf(old);
    }
  }
}

function sizeOf(chunks: readonly SpokenChunk[]): number {
  return chunks.reduce((bytes, chunk) => bytes + chunk.audio.length, 0);
}
