import type { TurnMetrics } from '@voice/shared/contracts/call-events';
import type { TurnMetric } from './turn-taking/effects.js';

interface Entry {
  turn: number;
  speechEndedAt: number | undefined;
  decidedAt: number | undefined;
  preempted: boolean;
  sttFinalAt: number | undefined;
  firstTokenAt: number | undefined;
  firstAudioAt: number | undefined;
  firstFrameAt: number | undefined;
  bargeInMs: number | undefined;
  silencedAt: number | undefined;
  over: boolean;
}

/**
 * Measures how long the stages of each turn took. All times go in as ms since the media stream began; the durations
 * that come out count from the end of the caller's last speech frame, as it was spoken: what jitter or a stall held up
 * has the caller wait. A delay that the line has all the time is in none of them.
 */
export class TurnMetricsCollector {
  readonly #entries = new Map<number, Entry>();
  /** When the agent's audio last fell silent for a caller who spoke. */
  #silencedAt: number | undefined;

  firstToken(turn: number, at: number): void {
    this.#entry(turn).firstTokenAt ??= at;
  }

  firstAudio(turn: number, at: number): void {
    this.#entry(turn).firstAudioAt ??= at;
  }

  firstFrame(turn: number, at: number): void {
    const entry = this.#entry(turn);
    if (entry.speechEndedAt === undefined) this.#adoptSilentTurn(entry);
    entry.firstFrameAt ??= at;
  }

  /** Records that the agent was paused or cleared for the caller. */
  silenced(at: number): void {
    this.#silencedAt = at;
  }

  /** @param lastFinalAt when the caller's last final text came */
  report(metric: TurnMetric, lastFinalAt?: number): void {
    if (metric.name === 'end_of_turn') {
      const entry = this.#entry(metric.turn);
      entry.speechEndedAt = metric.speechEndedAt;
      entry.decidedAt = metric.decidedAt;
      entry.preempted = metric.preempted;
      entry.sttFinalAt = lastFinalAt;
    } else if (metric.name === 'barge_in' && !metric.falseAlarm && this.#silencedAt !== undefined) {
      const entry = this.#entry(metric.turn);
      entry.bargeInMs = Math.max(0, this.#silencedAt - metric.speechStartedAt);
      entry.silencedAt = this.#silencedAt;
    }
  }

  /** Closes the metrics of a turn that will not be audible any more. */
  turnOver(turn: number): void {
    this.#entry(turn).over = true;
  }

  dropped(turn: number): void {
    this.#entries.delete(turn);
  }

  /** Returns the metrics of turns that are over, each once. */
  takeFinished(): TurnMetrics[] {
    const finished: TurnMetrics[] = [];
    for (const entry of this.#entries.values()) {
      if (!entry.over) continue;
      this.#entries.delete(entry.turn);
      finished.push(toMetrics(entry));
    }
    return finished;
  }

  /**
   * Adopts the times of a turn that only called tools: it makes no sound, and the caller waited for the first turn
   * after it that does.
   */
  #adoptSilentTurn(entry: Entry): void {
    const silent = [...this.#entries.values()]
      .filter((other) => other.turn < entry.turn && !other.over && other.speechEndedAt !== undefined)
      .findLast((other) => other.firstFrameAt === undefined);
    if (!silent) return;
    this.#entries.delete(silent.turn);
    entry.speechEndedAt = silent.speechEndedAt;
    entry.decidedAt = silent.decidedAt;
    entry.sttFinalAt = silent.sttFinalAt;
    entry.firstTokenAt = silent.firstTokenAt ?? entry.firstTokenAt;
    entry.preempted = silent.preempted;
  }

  #entry(turn: number): Entry {
    let entry = this.#entries.get(turn);
    if (!entry) {
      entry = {
        turn,
        speechEndedAt: undefined,
        decidedAt: undefined,
        preempted: false,
        sttFinalAt: undefined,
        firstTokenAt: undefined,
        firstAudioAt: undefined,
        firstFrameAt: undefined,
        bargeInMs: undefined,
        silencedAt: undefined,
        over: false,
      };
      this.#entries.set(turn, entry);
    }
    return entry;
  }
}

function toMetrics(entry: Entry): TurnMetrics {
  const since = (at: number | undefined) =>
    at === undefined || entry.speechEndedAt === undefined
      ? null
      : round(Math.max(0, at - entry.speechEndedAt));
  return {
    turn: entry.turn,
    end_of_turn_delay_ms: since(entry.decidedAt),
    stt_final_ms: since(entry.sttFinalAt),
    llm_first_token_ms: since(entry.firstTokenAt),
    tts_first_audio_ms: since(entry.firstAudioAt),
    response_latency_ms: since(entry.firstFrameAt),
    barge_in_latency_ms: entry.bargeInMs === undefined ? null : round(entry.bargeInMs),
    preempted: entry.preempted,
    audible_at_ms: entry.firstFrameAt === undefined ? null : round(entry.firstFrameAt),
    silenced_at_ms: entry.silencedAt === undefined ? null : round(entry.silencedAt),
  };
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
