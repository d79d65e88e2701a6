import type { AudioFormat } from '@voice/shared/audio/format';
import { mixSamples } from './samples.js';
import { SideWindow, WINDOW_MS } from './side-window.js';

/** Length of what is sent at a time, in ms. */
const CHUNK_MS = 40;
/**
 * How long audio is held back for the other side's frames of the same time, in ms: at first, and at most. It grows
 * when frames come too late, as on a call whose first frame was late: all of the other side's then are.
 */
const DELAY_MS = 80;
const LONGEST_DELAY_MS = 1000;

export interface ListenInMixOptions {
  readonly format: AudioFormat;
  /** 16-bit PCM, little-endian, of both sides in one channel. The bytes are reused after the return. */
  readonly onMixed: (chunk: Uint8Array) => void;
  /** The caller left, the agent right. The bytes are reused after the return. */
  readonly onStereo: (chunk: Uint8Array) => void;
  /** Which of the two somebody wants at the moment. */
  readonly wants: () => { readonly mixed: boolean; readonly stereo: boolean };
}

/**
 * Brings both sides of a call together on the caller's clock, for those who listen in. Made when the first of
 * them comes and dropped with the last. A position that jumps by more than the window starts it anew.
 */
export class ListenInMix {
  readonly #options: ListenInMixOptions;
  readonly #caller: SideWindow;
  readonly #agent: SideWindow;
  readonly #chunkSamples: number;
  #delaySamples: number;
  readonly #longestDelaySamples: number;
  readonly #windowSamples: number;
  readonly #mixed: Buffer;
  readonly #stereo: Buffer;
  /** The first sample that was not sent; undefined before the first frame. */
  #emitted: number | undefined;

  constructor(options: ListenInMixOptions) {
    const { format } = options;
    const samples = (ms: number) => (ms * format.sampleRate) / 1000;
    this.#options = options;
    this.#caller = new SideWindow(format);
    this.#agent = new SideWindow(format);
    this.#chunkSamples = samples(CHUNK_MS);
    this.#delaySamples = samples(DELAY_MS);
    this.#longestDelaySamples = samples(LONGEST_DELAY_MS);
    this.#windowSamples = samples(WINDOW_MS);
    this.#mixed = Buffer.alloc(this.#chunkSamples * 2);
    this.#stereo = Buffer.alloc(this.#chunkSamples * 4);
  }

  /** Takes a frame of the caller; `positionMs` is its place in the caller's stream. */
  caller(frame: Uint8Array, positionMs: number): void {
    this.#place(this.#caller, frame, positionMs);
  }

  /** Takes a frame of the agent that was heard; `atMs` on the caller's clock. */
  agent(frame: Uint8Array, atMs: number): void {
    this.#place(this.#agent, frame, atMs);
  }

  #place(side: SideWindow, frame: Uint8Array, atMs: number): void {
    if (atMs < 0) return;
    const at = Math.round((atMs * this.#options.format.sampleRate) / 1000);
    this.#emitted ??= at;
    // A caller who was muted for long, or a stream that began anew: the time between is not sent as silence.
    if (at > this.#emitted + this.#windowSamples || at < this.#emitted - this.#windowSamples / 2) {
      this.#caller.clear();
      this.#agent.clear();
      this.#emitted = at;
    }
    if (at < this.#emitted) {
      const wanted = this.#delaySamples + this.#emitted - at + this.#chunkSamples;
      this.#delaySamples = Math.min(wanted, this.#longestDelaySamples);
    }
    const end = side.place(frame, atMs, this.#emitted);
    while (end - this.#delaySamples - this.#emitted >= this.#chunkSamples) this.#handOn(this.#emitted);
  }

  #handOn(from: number): void {
    const { mixed, stereo } = this.#options.wants();
    for (let i = 0; i < this.#chunkSamples; i++) {
      const caller = this.#caller.take(from + i);
      const agent = this.#agent.take(from + i);
      if (mixed) this.#mixed.writeInt16LE(mixSamples(caller, agent), i * 2);
      if (stereo) {
        this.#stereo.writeInt16LE(caller, i * 4);
        this.#stereo.writeInt16LE(agent, i * 4 + 2);
      }
    }
    this.#emitted = from + this.#chunkSamples;
    if (mixed) this.#options.onMixed(this.#mixed);
    if (stereo) this.#options.onStereo(this.#stereo);
  }
}
