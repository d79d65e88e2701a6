import { Counter, Rate, Trend } from 'k6/metrics';
import { setTimeout } from 'k6/timers';
import type { Utterance } from '../settings-contract.ts';
import type { AgentListener, CallerLine } from './line.ts';
import { settings } from './settings.ts';

/** The caller speaks when the agent has been silent for so long, in ms. */
const QUIET_MS = 500;
/** The caller interrupts when the agent has spoken for so long, in ms. */
const INTERRUPT_AFTER_MS = 700;
/** Every so many answers is interrupted. */
const INTERRUPT_EVERY = 3;
/** An answer that does not come by then is counted as missing, and so is a greeting, in ms. */
const ANSWER_WITHIN_MS = 10_000;
const FRAME_MS = 20;
/** Mu-law of silence, one frame, base64. */
const SILENT_FRAME = `${'/'.repeat(213)}w==`;
/** How often the worst lateness of the caller's own frames is recorded, in ms. */
const LATENESS_EVERY_MS = 1000;

/** What is measured of the calls of one kind, in ms by `Date.now()`. */
export class CallMetrics {
  /** From the caller's last loud frame, as it was sent, to the agent's first, as it arrived. */
  readonly response: Trend;
  /** The same less endpointing and the delays of the emulated vendors. */
  readonly added: Trend;
  /** From the caller's first loud frame over the agent until the agent gives way. */
  readonly bargeIn: Trend;
  /** From the request for the call to the agent's first frame. */
  readonly setup: Trend;
  /** How much audio of the agent waits to be played when more comes: it must not grow. */
  readonly ahead: Trend;
  /** By how much k6 itself was late at worst in a second: large values mean that the machine was starved. */
  readonly lateness: Trend;
  readonly unanswered: Counter;
  readonly early: Counter;
  /** Of all that callers said: where the agent began to answer before it was over. */
  readonly earlyShare: Rate;
  readonly ignored: Counter;
  /** Audio in the midst of an answer that came when all before it had been played: the caller heard a gap. */
  readonly late: Counter;
  /** Calls that could not be had, or that the other side ended. */
  readonly dropped: Counter;
  readonly calls: Counter;

  constructor(kind: string) {
    this.response = new Trend(`${kind}_response_ms`, true);
    this.added = new Trend(`${kind}_added_ms`, true);
    this.bargeIn = new Trend(`${kind}_barge_in_ms`, true);
    this.setup = new Trend(`${kind}_setup_ms`, true);
    this.ahead = new Trend(`${kind}_ahead_ms`, true);
    this.lateness = new Trend(`${kind}_k6_late_ms`, true);
    this.unanswered = new Counter(`${kind}_unanswered`);
    this.early = new Counter(`${kind}_early_answers`);
    this.earlyShare = new Rate(`${kind}_early_share`);
    this.ignored = new Counter(`${kind}_ignored_barge_ins`);
    this.late = new Counter(`${kind}_late_frames`);
    this.dropped = new Counter(`${kind}_dropped_calls`);
    this.calls = new Counter(`${kind}_calls`);
  }
}

type Phase =
  | { readonly name: 'listening'; readonly answeredAt: number }
  | {
      readonly name: 'speaking';
      readonly utterance: Utterance;
      readonly over: boolean;
      frame: number;
      firstLoudAt: number | undefined;
      lastLoudAt: number;
      cleared: boolean;
      early: boolean;
    }
  | { readonly name: 'waiting'; readonly lastLoudAt: number; readonly measured: boolean };

/** One caller who converses by rule for the length of a call: waits, speaks, measures the answer, interrupts. */
export class Caller implements AgentListener {
  readonly #metrics: CallMetrics;
  readonly #askedAt: number;
  readonly #endAt: number;
  #line: CallerLine | undefined;
  #phase: Phase = { name: 'listening', answeredAt: Number.POSITIVE_INFINITY };
  #turns = Math.floor(Math.random() * INTERRUPT_EVERY);
  #next = 0;
  #heard = false;
  #startedAt = 0;
  #isMute = false;
  #hasSpoken = false;
  #over = false;
  #worstLateness = 0;
  #latenessDue = 0;

  constructor(metrics: CallMetrics, askedAt: number) {
    this.#metrics = metrics;
    this.#askedAt = askedAt;
    this.#endAt = askedAt + settings.callSeconds * 1000;
    metrics.calls.add(1);
  }

  /** Begins to send a frame every 20 ms, on absolute deadlines so that no delay adds up. */
  start(line: CallerLine): void {
    this.#line = line;
    this.#startedAt = Date.now();
    this.#next = this.#startedAt;
    this.#run();
  }

  onAudio(at: number, dryMs: number): void {
    if (!this.#heard) {
      this.#heard = true;
      this.#metrics.setup.add(at - this.#askedAt);
    }
    const phase = this.#phase;
    if (phase.name === 'waiting') {
      if (phase.measured) {
        this.#metrics.response.add(at - phase.lastLoudAt);
        this.#metrics.added.add(at - phase.lastLoudAt - settings.idealMs);
      }
      this.#phase = { name: 'listening', answeredAt: at };
    } else if (phase.name === 'listening') {
      if (phase.answeredAt === Number.POSITIVE_INFINITY) this.#phase = { name: 'listening', answeredAt: at };
      // Before, a pause lies between what the agent discloses and its greeting.
      else if (this.#hasSpoken && dryMs > 0) this.#metrics.late.add(1);
    } else if (!phase.over || phase.cleared) {
      phase.early = true;
    }
  }

  onClear(at: number): void {
    const phase = this.#phase;
    if (phase.name !== 'speaking' || !phase.over || phase.cleared) return;
    phase.cleared = true;
    if (phase.firstLoudAt !== undefined) this.#metrics.bargeIn.add(at - phase.firstLoudAt);
  }

  onClosed(): void {
    if (!this.#over) this.#metrics.dropped.add(1);
    this.#over = true;
  }

  #run(): void {
    if (this.#over) return;
    const now = Date.now();
    this.#recordLateness(now);
    while (this.#next <= now) {
      this.#tick(Date.now());
      this.#next += FRAME_MS;
    }
    if (now < this.#endAt) {
      setTimeout(() => this.#run(), Math.max(0, this.#next - Date.now()));
      return;
    }
    this.#countMute();
    this.#over = true;
    this.#line?.hangUp();
  }

  /** Counts an agent that was never heard, once: the caller waits for it, so nothing else shows that it is mute. */
  #countMute(): void {
    if (this.#heard || this.#isMute) return;
    this.#isMute = true;
    this.#metrics.unanswered.add(1);
  }

  #recordLateness(now: number): void {
    this.#worstLateness = Math.max(this.#worstLateness, now - this.#next);
    if (now < this.#latenessDue) return;
    this.#metrics.lateness.add(this.#worstLateness);
    const line = this.#line;
    if (line && line.playedUntil > now) this.#metrics.ahead.add(line.playedUntil - now);
    this.#worstLateness = 0;
    this.#latenessDue = now + LATENESS_EVERY_MS;
  }

  #tick(now: number): void {
    const line = this.#line!;
    const phase = this.#phase;
    switch (phase.name) {
      case 'listening':
        line.sendFrame(SILENT_FRAME, now);
        if (now - this.#startedAt > ANSWER_WITHIN_MS) this.#countMute();
        if (this.#isToInterrupt(line, phase.answeredAt, now)) this.#speak(settings.interruptions, true);
        else if (now - line.playedUntil > QUIET_MS && phase.answeredAt < now)
          this.#speak(settings.sentences, false);
        return;
      case 'speaking':
        line.sendFrame(phase.utterance.frames[phase.frame]!, now);
        if (phase.frame === phase.utterance.firstLoud) phase.firstLoudAt = now;
        if (phase.frame === phase.utterance.lastLoud) phase.lastLoudAt = now;
        phase.frame += 1;
        if (phase.frame === phase.utterance.frames.length) this.#finishSpeaking(phase);
        return;
      case 'waiting':
        line.sendFrame(SILENT_FRAME, now);
        if (now - phase.lastLoudAt > ANSWER_WITHIN_MS) {
          this.#metrics.unanswered.add(1);
          this.#phase = { name: 'listening', answeredAt: now };
        }
    }
  }

  #isToInterrupt(line: CallerLine, answeredAt: number, now: number): boolean {
    // The agent begins with its disclosure, which cannot be interrupted.
    if (!this.#hasSpoken || this.#turns % INTERRUPT_EVERY !== 0) return false;
    return line.playedUntil > now && now - answeredAt > INTERRUPT_AFTER_MS;
  }

  #speak(from: readonly Utterance[], over: boolean): void {
    this.#turns += 1;
    this.#hasSpoken = true;
    this.#phase = {
      name: 'speaking',
      utterance: from[this.#turns % from.length]!,
      over,
      frame: 0,
      firstLoudAt: undefined,
      lastLoudAt: 0,
      cleared: false,
      early: false,
    };
  }

  #finishSpeaking(phase: Extract<Phase, { name: 'speaking' }>): void {
    if (phase.over && !phase.cleared) this.#metrics.ignored.add(1);
    if (phase.early) this.#metrics.early.add(1);
    this.#metrics.earlyShare.add(phase.early);
    this.#phase = phase.early
      ? { name: 'listening', answeredAt: phase.lastLoudAt }
      : { name: 'waiting', lastLoudAt: phase.lastLoudAt, measured: !phase.over };
  }
}
