import type { AudioFormat } from '@voice/shared/audio/format';
import { FRAME_MS } from '@voice/shared/audio/g711';
import type { TurnTakingSettings } from '@voice/shared/contracts/agent';
import type { VadEvent, VadSession, VoiceActivityDetector } from '../providers/vad/port.js';

export interface SpeechActivityOptions {
  readonly detector: VoiceActivityDetector;
  readonly settings: TurnTakingSettings;
  readonly format: AudioFormat;
  /** ms since the media stream began. */
  readonly sinceStart: () => number;
  readonly onEvent: (event: VadEvent, arrival: Arrival) => void;
}

/** When the audio at an event reached us. */
export interface Arrival {
  /** ms since the media stream began. */
  readonly arrivedAt: number;
  /** How much later than it was spoken, in ms. */
  readonly lateMs: number;
  /** How much audio has come since, in ms; more than time has passed where the line caught up. */
  readonly agoMs: number;
}

/** Frames whose arrival is remembered: ten seconds. */
const ARRIVALS = 512;

/** Runs one call's voice-activity detector and converts its positions in the audio to times of arrival. */
export class SpeechActivity {
  readonly #options: SpeechActivityOptions;
  readonly #vad: VadSession;
  readonly #arrivals = new Float64Array(ARRIVALS);
  /** When each of these frames began to be spoken, ms since the media stream began. */
  readonly #spoken = new Float64Array(ARRIVALS);
  #frames = 0;

  constructor(options: SpeechActivityOptions) {
    this.#options = options;
    const { detector, settings, format, onEvent } = options;
    this.#vad = detector.open(
      {
        on: settings.vad_on,
        off: settings.vad_off,
        minSpeechMs: settings.vad_min_speech_ms,
        minSilenceMs: settings.vad_min_silence_ms,
        format,
      },
      (event) => onEvent(event, this.#arrivalOf(event.atMs)),
    );
  }

  /** @param spokenAtMs when the frame's beginning was spoken, ms since the media stream began */
  write(frame: Uint8Array, spokenAtMs: number): void {
    this.#arrivals[this.#frames % ARRIVALS] = this.#options.sinceStart();
    this.#spoken[this.#frames % ARRIVALS] = spokenAtMs;
    this.#frames++;
    this.#vad.write(frame);
  }

  close(): void {
    this.#vad.close();
  }

  #arrivalOf(positionMs: number): Arrival {
    const agoMs = this.#frames * FRAME_MS - positionMs;
    const frame = Math.min(this.#frames - 1, Math.max(0, Math.ceil(positionMs / FRAME_MS) - 1));
    const isKnown = frame >= 0 && frame >= this.#frames - ARRIVALS;
    if (!isKnown) return { arrivedAt: positionMs, lateMs: 0, agoMs };
    const arrivedAt = this.#arrivals[frame % ARRIVALS]!;
    const spokenAt = this.#spoken[frame % ARRIVALS]! + (positionMs - frame * FRAME_MS);
    return { arrivedAt, lateMs: arrivedAt - spokenAt, agoMs };
  }
}
