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
  /**
   * `arrivedAt`: when the audio at the event reached us, ms since the media stream began. `agoMs`: how much audio has
   * come since; more than time has passed where the line caught up.
   */
  readonly onEvent: (event: VadEvent, arrivedAt: number, agoMs: number) => void;
}

/** Frames whose arrival is remembered: ten seconds. */
const ARRIVALS = 512;

/** Runs one call's voice-activity detector and converts its positions in the audio to times of arrival. */
export class SpeechActivity {
  readonly #options: SpeechActivityOptions;
  readonly #vad: VadSession;
  readonly #arrivals = new Float64Array(ARRIVALS);
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
      (event) => onEvent(event, this.#arrivalOf(event.atMs), this.#frames * FRAME_MS - event.atMs),
    );
  }

  write(frame: Uint8Array): void {
    this.#arrivals[this.#frames % ARRIVALS] = this.#options.sinceStart();
    this.#frames++;
    this.#vad.write(frame);
  }

  close(): void {
    this.#vad.close();
  }

  #arrivalOf(positionMs: number): number {
    const frame = Math.min(this.#frames - 1, Math.max(0, Math.ceil(positionMs / FRAME_MS) - 1));
    if (frame < this.#frames - ARRIVALS) return positionMs;
    return this.#arrivals[frame % ARRIVALS] ?? 0;
  }
}
