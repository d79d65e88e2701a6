import { type Clock, systemClock, type Timer } from '@voice/shared/clock/clock';
import { untilNextStep } from '@voice/shared/clock/in-step';
import type { Log } from '@voice/shared/log/log';
import { DetectorSession, detectionRate } from './detector-session.js';
import type { VadEvent, VadOptions, VadSession, VoiceActivityDetector } from './port.js';
import { MAX_BATCH, SileroModel, type SileroWindow } from './silero-model.js';
import { SpeechGates } from './speech-gate.js';
import type { Urgency } from './urgency.js';

/**
 * With more calls than this, windows are collected, so that they share a run: a run costs as much as eight windows, and
 * more where the model has left the caches. Neither a beginning nor an end is believed in later for it, as the window
 * that may decide waits for nobody. Runs are in step with the pacer's ticks.
 */
const COALESCE_FROM_CALLS = 8;
/** How long a window waits for company at most, in ms: for a frame's time, and in the midst of speech for longer. */
const COALESCE_MS = { soon: 20, later: 60 } as const;
/** A timer may be early by less than this, in ms. */
const EARLY_MS = 10;

export interface VoiceActivityDetectorOptions {
  readonly clock?: Clock;
  readonly log: Log;
}

/** How much work the gate has saved: windows of 32 ms, all calls together. */
export interface DetectorWork {
  readonly inferred: number;
  readonly gated: number;
  /** Windows that were judged like the one before them, because somebody surely spoke. */
  readonly assumed: number;
  /** Windows that were judged without being looked at, because the process was behind. */
  readonly skipped: number;
}

/** Loads model and gate: about 0.1 s and 50 MB, once a process. */
export async function createVoiceActivityDetector({
  clock = systemClock,
  log,
}: VoiceActivityDetectorOptions): Promise<SileroDetector> {
  const [model, gates] = await Promise.all([SileroModel.load(), SpeechGates.load()]);
  return new SileroDetector({ model, gates, clock, log });
}

interface SileroDetectorOptions {
  readonly model: SileroModel;
  readonly gates: SpeechGates;
  readonly clock: Clock;
  readonly log: Log;
}

/** Runs Silero behind a cheap gate, its runs shared by all calls that have a window waiting. */
export class SileroDetector implements VoiceActivityDetector {
  readonly #options: SileroDetectorOptions;
  readonly #sessions = new Set<DetectorSession>();
  /** Calls with a window to look at, the one that waits longest first. */
  #waiting: DetectorSession[] = [];
  readonly #probabilities = new Float32Array(MAX_BATCH);
  readonly #work = { inferred: 0, gated: 0, assumed: 0, skipped: 0 };
  #timer: Timer | undefined;
  /** When the next run is due, and when the last one was that a timer began, monotonic ms. */
  #due = 0;
  #taken = 0;
  #running = false;

  constructor(options: SileroDetectorOptions) {
    this.#options = options;
  }

  open(options: VadOptions, onEvent: (event: VadEvent) => void): VadSession {
    const gate = this.#options.gates.open(detectionRate(options.format));
    const session: DetectorSession = new DetectorSession({
      gate,
      settings: options,
      onEvent: this.#guarded(onEvent),
      owner: {
        waiting: (urgency) => this.#enqueue(session, urgency),
        closed: () => {
          this.#sessions.delete(session);
          this.#waiting = this.#waiting.filter((other) => other !== session);
        },
        gated: () => {
          this.#work.gated++;
        },
        assumed: () => {
          this.#work.assumed++;
        },
        skipped: () => {
          this.#work.skipped++;
        },
      },
    });
    this.#sessions.add(session);
    return session;
  }

  get work(): DetectorWork {
    return { ...this.#work };
  }

  /** Closes all calls' sessions and frees the model. */
  async close(): Promise<void> {
    for (const session of [...this.#sessions]) session.close();
    this.#timer?.cancel();
    await this.#options.model.close();
  }

  #guarded(onEvent: (event: VadEvent) => void): (event: VadEvent) => void {
    return (event) => {
      try {
        onEvent(event);
      } catch (error) {
        this.#options.log.error({ err: error }, 'a listener of voice activity failed');
      }
    };
  }

  #enqueue(session: DetectorSession, urgency: Urgency): void {
    this.#await(session);
    if (this.#running) return;
    // An agent that speaks is to fall silent at once; the others' windows that wait go with it.
    if (urgency === 'now' || this.#sessions.size <= COALESCE_FROM_CALLS) {
      this.#timer?.cancel();
      this.#timer = undefined;
      void this.#run();
      return;
    }
    const { clock } = this.#options;
    const now = clock.monotonic();
    const periodMs = COALESCE_MS[urgency];
    const next = now + untilNextStep(now, periodMs);
    // What comes where a timer was early is not for the step that it has taken.
    const due = next - this.#taken < EARLY_MS ? this.#taken + periodMs : next;
    if (this.#timer && this.#due <= due) return;
    this.#timer?.cancel();
    this.#due = due;
    this.#timer = clock.schedule(due - now, () => {
      this.#timer = undefined;
      this.#taken = due;
      void this.#run();
    });
  }

  #await(session: DetectorSession): void {
    if (session.isAwaited) return;
    session.isAwaited = true;
    this.#waiting.push(session);
  }

  /** Looks at all that waits, one batch after the other; the event loop turns between two batches. */
  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) await this.#runBatch();
    this.#running = false;
  }

  async #runBatch(): Promise<void> {
    const batch: DetectorSession[] = [];
    const windows: SileroWindow[] = [];
    // A run has one rate, that of the call that has waited longest. Calls of the other rate have the next run.
    let rate: number | undefined;
    const waiting = this.#waiting;
    const left: DetectorSession[] = [];
    this.#waiting = [];
    for (const session of waiting) {
      rate ??= session.sampleRate;
      if (batch.length === MAX_BATCH || session.sampleRate !== rate) {
        left.push(session);
        continue;
      }
      session.isAwaited = false;
      const window = session.take();
      if (!window) continue;
      batch.push(session);
      windows.push(window);
    }
    if (left.length > 0) this.#waiting = [...left, ...this.#waiting];
    if (batch.length === 0) return;
    let looked = true;
    try {
      await this.#options.model.infer(windows, this.#probabilities);
      this.#work.inferred += batch.length;
    } catch (error) {
      looked = false;
      this.#options.log.error({ err: error, windows: batch.length }, 'voice-activity model failed');
    }
    for (const [row, session] of batch.entries()) {
      session.judge(looked ? this.#probabilities[row]! : undefined);
      if (session.hasWaiting) this.#await(session);
    }
  }
}
