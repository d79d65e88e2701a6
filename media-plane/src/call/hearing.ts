import { FRAME_BYTES, FRAME_MS } from '@voice/shared/audio/g711';
import type { Clock } from '@voice/shared/clock/clock';
import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { Log } from '@voice/shared/log/log';
import type { SpeechToText, SttEvent, SttSession } from '../providers/stt/port.js';
import type { VadEvent, VadSession, VoiceActivityDetector } from '../providers/vad/port.js';
import type { CallerEvent } from './turn-taking/events.js';

/** A caller event before the executor stamps it. */
export type Heard = CallerEvent extends infer E ? (E extends CallerEvent ? Omit<E, 'at'> : never) : never;

export interface HearingOptions {
  readonly plan: CallPlan;
  readonly choice: ProviderChoice;
  readonly speechToText: SpeechToText;
  readonly detector: VoiceActivityDetector;
  readonly captionsUrl: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** ms since the media stream began. */
  readonly sinceStart: () => number;
  readonly onHeard: (event: Heard) => void;
  readonly onFailed: (code: string) => void;
}

/** Frames whose arrival is remembered: ten seconds. */
const ARRIVALS = 512;

/** HEAR: the caller's frames go to the voice-activity detector and the recogniser; turn events come out. */
export class Hearing {
  readonly #options: HearingOptions;
  readonly #vad: VadSession;
  readonly #stt: SttSession;
  readonly #arrivals = new Float64Array(ARRIVALS);
  readonly #partial = new Uint8Array(FRAME_BYTES);
  #partialLength = 0;
  #frames = 0;
  /** When the last final text came, ms since the media stream began. */
  #lastFinalAt: number | undefined;

  constructor(options: HearingOptions) {
    this.#options = options;
    const { plan, choice } = options;
    const settings = plan.agent.turn_taking;
    this.#vad = options.detector.open(
      {
        on: settings.vad_on,
        off: settings.vad_off,
        minSpeechMs: settings.vad_min_speech_ms,
        minSilenceMs: settings.vad_min_silence_ms,
      },
      (event) => this.#onVoiceActivity(event),
    );
    this.#stt = options.speechToText.open({
      choice,
      credentials: plan.credentials[choice.provider] ?? {},
      language: plan.agent.language,
      endpointingMs: settings.vad_min_silence_ms,
      captionsUrl: options.captionsUrl,
      clock: options.clock,
      log: options.log,
      onEvent: (event) => this.#onSpeechToText(event),
    });
  }

  get lastFinalAt(): number | undefined {
    return this.#lastFinalAt;
  }

  /** Mu-law at 8,000 Hz of any length; whole 20 ms frames go on, a rest waits for the next write. */
  write(audio: Uint8Array): void {
    if (audio.length === FRAME_BYTES && this.#partialLength === 0) {
      this.#frame(audio);
      return;
    }
    let from = 0;
    while (from < audio.length) {
      const take = Math.min(FRAME_BYTES - this.#partialLength, audio.length - from);
      this.#partial.set(audio.subarray(from, from + take), this.#partialLength);
      this.#partialLength += take;
      from += take;
      if (this.#partialLength === FRAME_BYTES) {
        this.#partialLength = 0;
        this.#frame(this.#partial);
      }
    }
  }

  close(): void {
    this.#vad.close();
    this.#stt.close();
  }

  #frame(frame: Uint8Array): void {
    this.#arrivals[this.#frames % ARRIVALS] = this.#options.sinceStart();
    this.#frames++;
    this.#stt.write(frame);
    this.#vad.write(frame);
  }

  /** When the audio at a position of the stream reached us, ms since the media stream began. */
  #arrivalOf(positionMs: number): number {
    const frame = Math.min(this.#frames - 1, Math.max(0, Math.ceil(positionMs / FRAME_MS) - 1));
    if (frame < this.#frames - ARRIVALS) return positionMs;
    return this.#arrivals[frame % ARRIVALS] ?? 0;
  }

  #onVoiceActivity(event: VadEvent): void {
    const arrival = this.#arrivalOf(event.atMs);
    if (event.type === 'speech_started') {
      this.#stt.voiceActivity(true, event.atMs);
      this.#options.onHeard({ type: 'speech_started', startedAt: arrival });
      return;
    }
    this.#options.onHeard({ type: 'speech_stopped', stoppedAt: arrival });
    this.#stt.voiceActivity(false, event.atMs);
    this.#stt.finalize();
  }

  #onSpeechToText(event: SttEvent): void {
    const { onHeard, onFailed, choice, sinceStart } = this.#options;
    switch (event.type) {
      case 'transcript':
        if (event.final && event.text !== '') this.#lastFinalAt = sinceStart();
        onHeard({ type: 'transcript', text: event.text, final: event.final, confidence: event.confidence });
        break;
      case 'end_of_turn': {
        const source = choice.model.startsWith('flux') ? 'flux' : 'stt';
        onHeard({ type: 'end_of_turn', source, confidence: event.confidence });
        break;
      }
      case 'eager_end_of_turn':
        onHeard({ type: 'eager_end_of_turn', confidence: event.confidence, text: event.text });
        break;
      case 'turn_resumed':
        onHeard({ type: 'turn_resumed' });
        break;
      case 'speech_started':
        // Our own detector is faster, and the same for every provider.
        break;
      case 'failed':
        onFailed(event.error.code);
        break;
    }
  }
}
