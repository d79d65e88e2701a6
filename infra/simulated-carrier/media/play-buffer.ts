import { FRAME_BYTES, MULAW_SILENCE } from '@voice/shared/audio/g711';

/**
 * What the carrier was sent and has not played yet: audio of any length, in order, and marks between. A mark
 * is returned when all audio before it has been played; `clear` discards the audio and returns all marks at once
 * (Twilio, "Media Streams - WebSocket Messages").
 */
export class PlayBuffer {
  #queue: ({ readonly audio: Uint8Array; played: number } | { readonly mark: string })[] = [];
  #bytes = 0;

  /** Bytes that wait to be played. */
  get waiting(): number {
    return this.#bytes;
  }

  audio(bytes: Uint8Array): void {
    this.#queue.push({ audio: bytes, played: 0 });
    this.#bytes += bytes.length;
  }

  /** Answers the marks that are due at once, because nothing waits before them. */
  mark(name: string): string[] {
    this.#queue.push({ mark: name });
    return this.#dueMarks();
  }

  clear(): string[] {
    const marks = this.#queue.flatMap((entry) => ('mark' in entry ? [entry.mark] : []));
    this.#queue = [];
    this.#bytes = 0;
    return marks;
  }

  /** Plays the next 20 ms, filled up with silence, and answers the marks that this reached. */
  play(): { readonly frame: Uint8Array; readonly marks: string[] } {
    const frame = new Uint8Array(FRAME_BYTES).fill(MULAW_SILENCE);
    const marks: string[] = [];
    let filled = 0;
    while (filled < FRAME_BYTES) {
      marks.push(...this.#dueMarks());
      const first = this.#queue[0];
      if (!first || 'mark' in first) break;
      const part = first.audio.subarray(first.played, first.played + FRAME_BYTES - filled);
      frame.set(part, filled);
      filled += part.length;
      first.played += part.length;
      this.#bytes -= part.length;
      if (first.played === first.audio.length) this.#queue.shift();
    }
    marks.push(...this.#dueMarks());
    return { frame, marks };
  }

  #dueMarks(): string[] {
    const due: string[] = [];
    for (let first = this.#queue[0]; first && 'mark' in first; first = this.#queue[0]) {
      due.push(first.mark);
      this.#queue.shift();
    }
    return due;
  }
}
