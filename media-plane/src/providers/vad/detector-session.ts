import { decodeMulaw, FRAME_BYTES, PHONE_SAMPLE_RATE } from '@voice/shared/audio/g711';
import { levelDb } from '../../audio/level.js';
import { DropOldestQueue } from '../../streams/bounded-queue.js';
import { QUIET, step, type VoiceState } from './hysteresis.js';
import type { VadEvent, VadSession, VadSettings } from './port.js';
import { SileroStream, type SileroWindow, WINDOW_MS, WINDOW_SAMPLES } from './silero-model.js';
import { SpeechEnd } from './speech-end.js';
import type { SpeechGate } from './speech-gate.js';

/** The gate stays open for this long behind the last frame that may be speech, in samples. */
const GATE_HANGOVER = 0.1 * PHONE_SAMPLE_RATE;
/** Windows that a call may be behind (about 1 s); then the oldest are judged like the one before them. */
const MAX_PENDING = 32;

interface PendingWindow {
  readonly samples: Float32Array;
  readonly endMs: number;
  /** Silence, says the gate: it needs no look, but waits its turn. */
  readonly gated: boolean;
}

/** What a session tells the detector that owns it. */
export interface SessionOwner {
  /** A window waits to be looked at. */
  waiting(): void;
  closed(): void;
  /** A window was judged by the gate alone. */
  gated(): void;
  /** A window was judged without being looked at. */
  skipped(): void;
}

/**
 * One call's detector: cuts the audio into windows, lets the gate judge the silent ones, hands the others to
 * its owner, and turns the judgements into events. Judgements are made in order, one at a time.
 */
export class DetectorSession implements VadSession {
  readonly #gate: SpeechGate;
  readonly #settings: VadSettings;
  readonly #onEvent: (event: VadEvent) => void;
  readonly #owner: SessionOwner;
  readonly #stream = new SileroStream();
  readonly #pending: DropOldestQueue<PendingWindow>;
  readonly #decoded = new Int16Array(FRAME_BYTES);
  #decodedLength = 0;
  #window = new Float32Array(WINDOW_SAMPLES);
  #windowLength = 0;
  /** The last window, if the gate called it silence: the beginning of a word may be in it. */
  #lastGated: PendingWindow | undefined;
  #samples = 0;
  #openUntil = 0;
  #taken: PendingWindow | undefined;
  #state: VoiceState = QUIET;
  #probability = 0;
  readonly #speechEnd = new SpeechEnd();
  #startedMs = 0;
  readonly #endOfVoice = (believedMs: number, untilMs: number) =>
    this.#speechEnd.refine(this.#startedMs, believedMs, untilMs);
  #closed = false;

  constructor(
    gate: SpeechGate,
    settings: VadSettings,
    onEvent: (event: VadEvent) => void,
    owner: SessionOwner,
  ) {
    this.#gate = gate;
    this.#settings = settings;
    this.#onEvent = onEvent;
    this.#owner = owner;
    this.#pending = new DropOldestQueue(MAX_PENDING, (window) => {
      this.#owner.skipped();
      this.#step(this.#probability, window);
    });
  }

  write(frame: Uint8Array): void {
    if (this.#closed) return;
    // Frames are 20 ms, but nothing breaks if a carrier cuts them otherwise.
    for (let at = 0; at < frame.length; ) {
      const length = Math.min(frame.length - at, FRAME_BYTES - this.#decodedLength);
      decodeMulaw(
        frame.subarray(at, at + length),
        this.#decoded.subarray(this.#decodedLength, this.#decodedLength + length),
      );
      this.#decodedLength += length;
      at += length;
      if (this.#decodedLength === FRAME_BYTES) this.#takeFrame();
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#pending.clear();
    this.#gate.close();
    this.#owner.closed();
  }

  get hasWaiting(): boolean {
    return !this.#closed && this.#pending.size > 0;
  }

  /** For the owner: the next window to look at, to be answered by `judge`. */
  take(): SileroWindow | undefined {
    let window = this.#pending.shift();
    for (; window?.gated; window = this.#pending.shift()) this.#judgeGated(window);
    this.#taken = window;
    return window && { stream: this.#stream, samples: window.samples };
  }

  /** @param probability of speech in the window that was taken; undefined: it could not be looked at */
  judge(probability: number | undefined): void {
    const window = this.#taken;
    this.#taken = undefined;
    if (!window) return;
    if (probability === undefined) this.#owner.skipped();
    else this.#probability = probability;
    this.#step(this.#probability, window);
  }

  #takeFrame(): void {
    this.#decodedLength = 0;
    this.#speechEnd.push(levelDb(this.#decoded));
    if (this.#gate.mayBeSpeech(this.#decoded)) {
      this.#openUntil = this.#samples + FRAME_BYTES + GATE_HANGOVER;
    }
    for (let i = 0; i < FRAME_BYTES; i++) {
      this.#window[this.#windowLength++] = this.#decoded[i]! / 32_768;
      this.#samples++;
      if (this.#windowLength === WINDOW_SAMPLES) this.#takeWindow();
    }
  }

  #takeWindow(): void {
    const window: PendingWindow = {
      samples: this.#window,
      endMs: (this.#samples * 1000) / PHONE_SAMPLE_RATE,
      gated: this.#samples - WINDOW_SAMPLES >= this.#openUntil,
    };
    this.#window = new Float32Array(WINDOW_SAMPLES);
    this.#windowLength = 0;
    if (window.gated) {
      this.#lastGated = window;
      if (this.#taken || this.#pending.size > 0) this.#pending.push(window);
      else this.#judgeGated(window);
      return;
    }
    if (this.#lastGated) {
      // Looked at after all: the gate opens a little late, and the model wants a beginning.
      this.#pending.push({ ...this.#lastGated, gated: false });
      this.#lastGated = undefined;
    }
    this.#pending.push(window);
    this.#owner.waiting();
  }

  #judgeGated(window: PendingWindow): void {
    this.#owner.gated();
    this.#probability = 0;
    this.#step(0, window);
  }

  #step(probability: number, { endMs }: PendingWindow): void {
    if (this.#closed) return;
    const startMs = endMs - WINDOW_MS;
    const { state, event } = step(this.#state, probability, startMs, endMs, this.#settings, this.#endOfVoice);
    this.#state = state;
    if (!event) return;
    if (event.type === 'speech_started') this.#startedMs = event.atMs;
    this.#onEvent(event);
  }
}
