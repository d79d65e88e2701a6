import type { AgentListener, CallerLine } from './caller-line.js';
import type { Speech, Utterance } from './speech.js';

/** The caller speaks when the agent has been silent for so long, in ms. */
const QUIET_MS = 500;
/** The caller interrupts when the agent has spoken for so long, in ms. */
const INTERRUPT_AFTER_MS = 700;
/** Every so many answers is interrupted. */
const INTERRUPT_EVERY = 3;
/** An answer that does not come by then is counted as missing, in ms. */
const ANSWER_WITHIN_MS = 10_000;

export interface Samples {
  /** From the caller's last loud frame, as it was sent, to the agent's first frame, in ms. */
  readonly responses: number[];
  /** From the caller's first loud frame over the agent to the carrier's `clear`, or the agent's silence, in ms. */
  readonly bargeIns: number[];
  /** Audio in the midst of an answer that came when the carrier had played all before it: the silence heard, in ms. */
  readonly late: number[];
  /** The agent did not answer in time. */
  unanswered: number;
  /** The agent spoke before the caller had finished. */
  early: number;
  /** The caller spoke over the agent, which went on. */
  ignoredBargeIns: number;
  /** Calls that the worker ended. */
  dropped: number;
}

export const noSamples = (): Samples => ({
  responses: [],
  bargeIns: [],
  late: [],
  unanswered: 0,
  early: 0,
  ignoredBargeIns: 0,
  dropped: 0,
});

type Phase =
  /** The agent has the floor; `answeredAt` is its first frame. */
  | { readonly name: 'listening'; readonly answeredAt: number }
  | {
      readonly name: 'speaking';
      readonly utterance: Utterance;
      frame: number;
      readonly over: boolean;
      clearedAt: number | undefined;
      firstLoudAt: number | undefined;
      lastLoudAt: number;
      early: boolean;
    }
  | { readonly name: 'waiting'; readonly lastLoudAt: number; readonly measured: boolean };

/** One caller who converses by rule: waits, speaks, measures the answer, and now and then interrupts. */
export class Caller {
  #line: CallerLine | undefined;
  #phase: Phase = { name: 'listening', answeredAt: Number.POSITIVE_INFINITY };
  #turns: number;
  #closing = false;
  /** Only what happens while it is set is measured. */
  samples: Samples | undefined;

  constructor(
    private readonly speech: Speech,
    number: number,
    /** Every message of the agent's audio as it arrives, monotonic ms, and how long it lasts. */
    private readonly onFrame: (at: number, lastsMs: number) => void = () => {},
  ) {
    this.#turns = number;
  }

  /** @param open connects the line */
  async connect(open: (listener: AgentListener) => Promise<CallerLine>): Promise<void> {
    this.#line = await open({
      onAudio: (at, lastsMs, dryMs) => {
        this.onFrame(at, lastsMs);
        this.#onAgentAudio(at, dryMs);
      },
      onClear: (at) => this.#onClear(at),
      onClosed: () => {
        if (!this.#closing && this.samples) this.samples.dropped += 1;
      },
    });
  }

  close(): void {
    this.#closing = true;
    this.#line?.close();
  }

  /** Sends the next frame when its time has come. */
  tick(now: number): void {
    const line = this.#line;
    if (!line) return;
    const phase = this.#phase;
    switch (phase.name) {
      case 'listening':
        line.sendSilence(now);
        if (this.#isToInterrupt(line, phase.answeredAt, now)) this.#speak(this.speech.interruptions, true);
        else if (now - line.playedUntil > QUIET_MS && phase.answeredAt < now) {
          this.#speak(this.speech.sentences, false);
        }
        return;
      case 'speaking':
        line.sendSpeech(phase.utterance, phase.frame, now);
        if (phase.frame === phase.utterance.firstLoud) phase.firstLoudAt = now;
        if (phase.frame === phase.utterance.lastLoud) phase.lastLoudAt = now;
        phase.frame += 1;
        if (phase.frame === phase.utterance.frames.length) this.#finishSpeaking(phase);
        return;
      case 'waiting':
        line.sendSilence(now);
        if (now - phase.lastLoudAt > ANSWER_WITHIN_MS) {
          if (this.samples) this.samples.unanswered += 1;
          this.#phase = { name: 'listening', answeredAt: now };
        }
    }
  }

  #isToInterrupt(line: CallerLine, answeredAt: number, now: number): boolean {
    return (
      this.#turns % INTERRUPT_EVERY === 0 && line.isPlaying(now) && now - answeredAt > INTERRUPT_AFTER_MS
    );
  }

  #speak(from: readonly Utterance[], over: boolean): void {
    this.#turns += 1;
    const utterance = from[this.#turns % from.length]!;
    this.#phase = {
      name: 'speaking',
      utterance,
      frame: 0,
      over,
      clearedAt: undefined,
      firstLoudAt: undefined,
      lastLoudAt: 0,
      early: false,
    };
  }

  #finishSpeaking(phase: Extract<Phase, { name: 'speaking' }>): void {
    if (this.samples && phase.over && phase.clearedAt === undefined) this.samples.ignoredBargeIns += 1;
    if (this.samples && phase.early) this.samples.early += 1;
    if (phase.early) this.#phase = { name: 'listening', answeredAt: phase.lastLoudAt };
    else this.#phase = { name: 'waiting', lastLoudAt: phase.lastLoudAt, measured: !phase.over };
  }

  #onAgentAudio(at: number, dryMs: number): void {
    const phase = this.#phase;
    if (phase.name === 'waiting') {
      if (phase.measured) this.samples?.responses.push(at - phase.lastLoudAt);
      this.#phase = { name: 'listening', answeredAt: at };
    } else if (phase.name === 'listening') {
      if (phase.answeredAt === Number.POSITIVE_INFINITY) this.#phase = { name: 'listening', answeredAt: at };
      else if (dryMs > 0) this.samples?.late.push(dryMs);
    } else if (!phase.over || phase.clearedAt !== undefined) {
      phase.early = true;
    }
  }

  #onClear(at: number): void {
    const phase = this.#phase;
    if (phase.name !== 'speaking' || !phase.over || phase.clearedAt !== undefined) return;
    phase.clearedAt = at;
    if (phase.firstLoudAt !== undefined) this.samples?.bargeIns.push(at - phase.firstLoudAt);
  }
}
