import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { CallEventBody } from '@voice/shared/contracts/call-events';
import type { LineStatistics, MediaLine } from '../lines/port.js';
import type { CallRecorder } from './call-environment.js';
import type { CallTap } from './live/call-tap.js';
import { LiveEventMapper } from './live/live-event-mapper.js';
import type { TurnTakingEvent } from './turn-taking/events.js';
import type { State } from './turn-taking/state.js';

export interface CallObserversOptions {
  readonly line: MediaLine;
  readonly tap: CallTap;
  readonly recorder: CallRecorder | undefined;
  readonly clock: Clock;
  /** ms since the media stream began. */
  readonly now: () => number;
  readonly emit: (body: CallEventBody) => void;
}

/** How often the line's own figures are reported, in ms. */
const STATISTICS_MS = 10_000;

/** Feeds all that watches a call and takes no part in it: recording, live followers, listen-in, line statistics. */
export class CallObservers {
  readonly recorder: CallRecorder | undefined;
  readonly #options: CallObserversOptions;
  readonly #liveEvents = new LiveEventMapper();
  #timer: Timer | undefined;

  constructor(options: CallObserversOptions) {
    this.#options = options;
    const { line, tap, recorder } = options;
    this.recorder = recorder;
    tap.start(line.format);
    if (line.sendEvent) tap.subscribe({ onEvent: (event) => line.sendEvent?.(event), onClosed: () => {} });
    if (line.statistics) this.#scheduleStatistics();
  }

  /** @param positionMs in the caller's stream */
  callerAudio(frame: Uint8Array, positionMs: number): void {
    this.recorder?.caller(frame, positionMs);
    this.#options.tap.callerAudio(frame, positionMs);
  }

  /** Passes on a frame of the agent that was really heard; `positionMs` on the caller's clock. */
  agentAudio(frame: Uint8Array, positionMs: number): void {
    this.recorder?.agent(frame, positionMs);
    this.#options.tap.agentAudio(frame, positionMs);
  }

  /** Publishes what the caller has said so far; the transcript gets it when it is final. */
  callerInterim(text: string, at: number): void {
    this.#options.tap.publish({
      type: 'transcript',
      role: 'caller',
      text,
      final: false,
      at_ms: Math.round(at),
    });
  }

  decided(event: TurnTakingEvent, state: State): void {
    for (const live of this.#liveEvents.next(event, state)) this.#options.tap.publish(live);
  }

  /** Pauses the recording for `reason`: it resumes when no reason is left. */
  pauseRecording(reason: string): void {
    this.#changeRecording(
      (recorder) => recorder.pause(reason),
      'recording_paused',
      'The recording is paused.',
    );
  }

  resumeRecording(reason: string): void {
    this.#changeRecording(
      (recorder) => recorder.resume(reason, this.#options.now()),
      'recording_resumed',
      'The recording goes on.',
    );
  }

  /** Pauses the recording while a tool marked `sensitive` runs. */
  sensitiveTool(callId: string, running: boolean): void {
    if (running) this.pauseRecording(callId);
    else this.resumeRecording(callId);
  }

  /** Reports the last statistics and stops. Called before the call's last event. */
  close(): void {
    this.#timer?.cancel();
    this.#emitStatistics();
  }

  #changeRecording(change: (recorder: CallRecorder) => void, code: string, message: string): void {
    const { recorder } = this;
    if (!recorder) return;
    const before = recorder.isPaused;
    change(recorder);
    if (recorder.isPaused !== before) this.#options.emit({ kind: 'notice', code, message });
  }

  #scheduleStatistics(): void {
    this.#timer = this.#options.clock.schedule(STATISTICS_MS, () => {
      this.#emitStatistics();
      this.#scheduleStatistics();
    });
  }

  #emitStatistics(): void {
    const statistics = this.#options.line.statistics?.();
    if (statistics) this.#options.emit({ kind: 'line_statistics', statistics: recordOf(statistics) });
  }
}

function recordOf(figures: LineStatistics) {
  const ms = (value: number) => Math.round(value * 10) / 10;
  return {
    packets_received: figures.packetsReceived,
    packets_lost: Math.max(0, figures.packetsLost),
    concealed_frames: figures.concealed,
    jitter_ms: ms(figures.jitterMs),
    buffer_ms: ms(figures.bufferMs),
    round_trip_ms: figures.roundTripMs === null ? null : ms(figures.roundTripMs),
    sent_bits_per_second: Math.round(figures.sentBitsPerSecond),
    received_bits_per_second: Math.round(figures.receivedBitsPerSecond),
  };
}
