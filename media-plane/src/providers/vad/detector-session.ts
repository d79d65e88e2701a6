import type { AudioFormat } from '@voice/shared/audio/format';
import { FRAME_MS } from '@voice/shared/audio/g711';
import { SampleReader } from '@voice/shared/audio/sample-reader';
import { levelDb, SILENT_DB } from '../../audio/level.js';
import { DropOldestQueue } from '../../streams/bounded-queue.js';
import { FrameLevels } from './frame-levels.js';
import { QUIET, step, type VoiceEdges, type VoiceState } from './hysteresis.js';
import type { VadEvent, VadOptions, VadSession } from './port.js';
import type { SileroRate } from './silero/silero-network.js';
import { SileroStream, type SileroWindow, WINDOW_MS } from './silero-model.js';
import { endOfSpeech } from './speech-end.js';
import type { SpeechGate } from './speech-gate.js';
import { startOfSpeech } from './speech-start.js';
import { mayEnd, type Urgency, urgencyOf } from './urgency.js';

/** The gate stays open for this long behind the last frame that may be speech, in ms. */
const GATE_HANGOVER_MS = 100;
/**
 * Speech that comes out of silence is believed in at the model's first word for so long, in ms, where its sound has
 * lasted. Later the model has heard more of the line, and its word must last.
 */
const OUT_OF_SILENCE_MS = 300;
/**
 * Windows that a call may be behind (about 4 s: a line that has stalled brings as much at once, and a question may be in
 * it); then the oldest are judged like the one before them.
 */
const MAX_PENDING = 128;
/** Judged windows that are kept to be filled again. */
const MAX_FREE = 4;

/** The model is sure that somebody speaks. */
const SURE_PROBABILITY = 0.9;
/**
 * A voice that goes on stays within so many dB of its loudest of late. Where it does not, as at its end, every window is
 * looked at.
 */
const STEADY_DB = 12;
/** It stands out of the softest of late by so many dB: on a noisy line, every window is looked at. */
const CLEAR_DB = 25;
/** How fast the loudest and the softest of late are forgotten, in dB a frame: 20 and 5 dB a second. */
const LOUDEST_FORGOTTEN_DB = 0.4;
const SOFTEST_FORGOTTEN_DB = 0.1;

/**
 * Returns the rate at which audio of a format is looked at: as it is where the model can, else brought to the higher
 * one.
 */
export function detectionRate({ sampleRate }: AudioFormat): SileroRate {
  return sampleRate === 8000 ? 8000 : 16_000;
}

/** A window of audio. There are 31 a second: one that is judged is filled again. */
interface Window {
  readonly samples: Float32Array;
  endMs: number;
  /** Silence, says the gate: it needs no look, but waits its turn. */
  gated: boolean;
  /** As loud throughout as what came before it, and clearly louder than the line's noise. */
  steady: boolean;
  /** Where the gate opened: the window that begins there is the first that the model hears after a silence. */
  openedMs: number;
  /** It is in the queue. */
  waits: boolean;
}

/** What a session reports to the detector that owns it. */
interface SessionOwner {
  /** Called when a window waits to be looked at. */
  waiting(urgency: Urgency): void;
  closed(): void;
  /** Called when a window was judged by the gate alone. */
  gated(): void;
  /** Called when a window was judged like the one before it, because somebody surely speaks. */
  assumed(): void;
  /** Called when a window was judged without being looked at, because too many waited or the model failed. */
  skipped(): void;
}

export interface DetectorSessionOptions {
  readonly gate: SpeechGate;
  readonly settings: VadOptions;
  readonly onEvent: (event: VadEvent) => void;
  readonly owner: SessionOwner;
}

/**
 * Detects the speech of one call: cuts the audio into windows, lets the gate judge the silent ones, hands the others to
 * its owner, and turns the judgements into events. Judgements are made in order, one at a time.
 */
export class DetectorSession implements VadSession {
  /** The owner has it among those that wait. */
  isAwaited = false;
  readonly #options: DetectorSessionOptions;
  readonly #stream: SileroStream;
  readonly #reader: SampleReader;
  readonly #pending: DropOldestQueue<Window>;
  /** 20 ms of samples. */
  readonly #frame: Int16Array;
  #frameLength = 0;
  /** The window that is being filled. */
  #window: Window;
  readonly #free: Window[] = [];
  #windowLength = 0;
  /** The softest frame of the window, in dB; the softest and the loudest of late. */
  #windowDb = 0;
  #softestDb = 0;
  #loudestDb = SILENT_DB;
  /** The last window, if the gate called it silence: the beginning of a word may be in it. */
  #lastGated: Window | undefined;
  #samples = 0;
  #openUntil = 0;
  #openedMs = 0;
  #taken: Window | undefined;
  #assumedLast = false;
  #state: VoiceState = QUIET;
  #probability = 0;
  readonly #levels = new FrameLevels();
  #startedMs = 0;
  #stoppedMs = 0;
  #closed = false;

  constructor(options: DetectorSessionOptions) {
    this.#options = options;
    const { format } = options.settings;
    const sampleRate = detectionRate(format);
    this.#stream = new SileroStream(sampleRate);
    this.#reader = new SampleReader({ format, sampleRate });
    this.#frame = new Int16Array((FRAME_MS * sampleRate) / 1000);
    this.#window = this.#nextWindow();
    this.#pending = new DropOldestQueue(MAX_PENDING, (window) => {
      window.waits = false;
      this.#options.owner.skipped();
      this.#step(this.#probability, window);
      this.#release(window);
    });
  }

  /** Returns the rate of the samples that are looked at, Hz. */
  get sampleRate(): SileroRate {
    return this.#stream.sampleRate;
  }

  write(audio: Uint8Array): void {
    if (this.#closed) return;
    const samples = this.#reader.read(audio);
    // Frames are 20 ms, but nothing breaks if a carrier cuts them otherwise.
    for (let at = 0; at < samples.length; ) {
      const length = Math.min(samples.length - at, this.#frame.length - this.#frameLength);
      this.#frame.set(
        length === samples.length ? samples : samples.subarray(at, at + length),
        this.#frameLength,
      );
      this.#frameLength += length;
      at += length;
      if (this.#frameLength === this.#frame.length) this.#takeFrame();
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#pending.clear();
    this.#options.gate.close();
    this.#options.owner.closed();
  }

  get hasWaiting(): boolean {
    return !this.#closed && this.#pending.size > 0;
  }

  /** Takes the next window to look at, to be answered by `judge`. For the owner. */
  take(): SileroWindow | undefined {
    for (let window = this.#pending.shift(); window; window = this.#pending.shift()) {
      window.waits = false;
      if (window.gated) {
        this.#judgeGated(window);
        this.#release(window);
      } else if (this.#isSurelySpeech(window)) {
        this.#assume(window);
        this.#release(window);
      } else {
        this.#taken = window;
        this.#assumedLast = false;
        // It has not heard the silence, and what it remembers from before makes it late and credulous.
        if (window.openedMs === window.endMs - WINDOW_MS) this.#stream.reset();
        return { stream: this.#stream, samples: window.samples };
      }
    }
    return undefined;
  }

  /** @param probability of speech in the window that was taken; undefined: it could not be looked at */
  judge(probability: number | undefined): void {
    const window = this.#taken;
    this.#taken = undefined;
    if (!window) return;
    if (probability === undefined) this.#options.owner.skipped();
    else this.#probability = probability;
    this.#step(this.#probability, window);
    this.#release(window);
  }

  /** Every second window, while a voice goes on: the model hears no less of it for that. */
  #isSurelySpeech({ steady }: Window): boolean {
    const sure = this.#state.name === 'speaking' && this.#probability >= SURE_PROBABILITY;
    return sure && steady && !this.#assumedLast;
  }

  #assume(window: Window): void {
    this.#assumedLast = true;
    this.#stream.pass(window.samples);
    this.#options.owner.assumed();
    this.#step(this.#probability, window);
  }

  #takeFrame(): void {
    const frame = this.#frame;
    this.#frameLength = 0;
    const db = levelDb(frame);
    this.#levels.push(db);
    this.#loudestDb = Math.max(db, this.#loudestDb - LOUDEST_FORGOTTEN_DB);
    this.#softestDb = Math.min(db, this.#softestDb + SOFTEST_FORGOTTEN_DB);
    if (this.#options.gate.mayBeSpeech(frame)) {
      this.#openUntil = this.#samples + frame.length + (GATE_HANGOVER_MS * this.sampleRate) / 1000;
    }
    for (let at = 0; at < frame.length; ) {
      const { samples } = this.#window;
      const from = this.#windowLength;
      const length = Math.min(frame.length - at, samples.length - from);
      for (let i = 0; i < length; i++) samples[from + i] = frame[at + i]! / 32_768;
      at += length;
      this.#windowLength += length;
      this.#samples += length;
      this.#windowDb = Math.min(this.#windowDb, db);
      if (this.#windowLength === samples.length) this.#takeWindow();
    }
  }

  #takeWindow(): void {
    const endMs = (this.#samples * 1000) / this.sampleRate;
    const gated = this.#samples - this.#stream.windowSamples >= this.#openUntil;
    const steady = this.#windowDb >= Math.max(this.#loudestDb - STEADY_DB, this.#softestDb + CLEAR_DB);
    if (!gated && this.#lastGated) this.#openedMs = this.#lastGated.endMs - WINDOW_MS;
    const window = this.#window;
    window.endMs = endMs;
    window.gated = gated;
    window.steady = steady;
    window.openedMs = this.#openedMs;
    this.#window = this.#nextWindow();
    this.#windowLength = 0;
    this.#windowDb = 0;
    const before = this.#lastGated;
    if (gated) {
      this.#lastGated = window;
      if (before) this.#release(before);
      if (this.#taken || this.#pending.size > 0) {
        this.#enqueue(window);
        const waiting = { endMs, unjudgedMs: this.#unjudgedMs(window) };
        if (mayEnd(this.#state, waiting, this.#options.settings)) this.#options.owner.waiting('now');
      } else this.#judgeGated(window);
      return;
    }
    this.#lastGated = undefined;
    // Looked at after all: the gate opens a little late, and the model wants a beginning.
    if (before) this.#enqueue(this.#toBeLookedAt(before));
    this.#enqueue(window);
    const begins = () => this.#begins(window);
    const waiting = { endMs, unjudgedMs: this.#unjudgedMs(window), begins };
    this.#options.owner.waiting(urgencyOf(this.#state, waiting, this.#options.settings));
  }

  #toBeLookedAt(gated: Window): Window {
    const window = gated.waits ? { ...gated, samples: gated.samples.slice() } : gated;
    window.gated = false;
    window.openedMs = this.#openedMs;
    return window;
  }

  #enqueue(window: Window): void {
    window.waits = true;
    this.#pending.push(window);
  }

  #nextWindow(): Window {
    const used = this.#free.pop();
    if (used) return used;
    const samples = new Float32Array(this.#stream.windowSamples);
    return { samples, endMs: 0, gated: false, steady: false, openedMs: 0, waits: false };
  }

  /** Lets a window be filled again that nobody will look at any more. */
  #release(window: Window): void {
    const isNeeded = window.waits || window === this.#lastGated || window === this.#taken;
    if (!isNeeded && this.#free.length < MAX_FREE) this.#free.push(window);
  }

  /** Returns where the first of the windows that wait begins; this is the last. */
  #unjudgedMs({ endMs }: Window): number {
    return endMs - this.#pending.size * WINDOW_MS;
  }

  /** Returns whether speech has begun if the model finds it in this window. */
  #begins(window: Window): boolean {
    if (!isOutOfSilence(window)) return false;
    const edges = this.#edgesOf(window);
    return edges.isSurelySpeech(edges.startOf(window.endMs - WINDOW_MS), window.endMs);
  }

  /** Judges by the level of the audio where the voice in this window began or ended. */
  #edgesOf(window: Window): VoiceEdges {
    const { minSpeechMs } = this.#options.settings;
    return {
      startOf: (believedMs) => startOfSpeech(this.#levels, believedMs, this.#stoppedMs),
      endOf: (believedMs, untilMs) => endOfSpeech(this.#levels, this.#startedMs, believedMs, untilMs),
      isSurelySpeech: (startMs, endMs) =>
        isOutOfSilence(window) && endMs - startMs >= minSpeechMs + WINDOW_MS,
    };
  }

  #judgeGated(window: Window): void {
    this.#options.owner.gated();
    this.#probability = 0;
    this.#step(0, window);
  }

  #step(probability: number, window: Window): void {
    if (this.#closed) return;
    const { endMs } = window;
    const { settings, onEvent } = this.#options;
    const edges = this.#edgesOf(window);
    const { state, event } = step(this.#state, probability, endMs - WINDOW_MS, endMs, settings, edges);
    this.#state = state;
    if (!event) return;
    if (event.type === 'speech_started') this.#startedMs = event.atMs;
    else this.#stoppedMs = event.atMs;
    onEvent(event);
  }
}

function isOutOfSilence({ endMs, openedMs }: Window): boolean {
  return endMs - openedMs <= OUT_OF_SILENCE_MS;
}
