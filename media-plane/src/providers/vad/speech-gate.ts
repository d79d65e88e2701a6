import loadFvad, { type FvadModule } from '@echogarden/fvad-wasm';
import { FRAME_MS } from '@voice/shared/audio/g711';

/** libfvad's most permissive mode: the gate may pass noise on, but it must not lose speech. */
const MODE = 0;
/** A frame at the highest rate that is asked for, 16,000 Hz. */
const LONGEST_FRAME_SAMPLES = 16 * FRAME_MS;

/**
 * Takes a cheap first look (2 us a frame): whether a frame may be speech at all, by libfvad (WebRTC's detector). What
 * it calls silence need not trouble the neural network.
 */
export class SpeechGates {
  readonly #fvad: FvadModule;
  readonly #samplesPointer: number;

  private constructor(fvad: FvadModule) {
    this.#fvad = fvad;
    this.#samplesPointer = fvad._malloc(LONGEST_FRAME_SAMPLES * Int16Array.BYTES_PER_ELEMENT);
  }

  static async load(): Promise<SpeechGates> {
    return new SpeechGates(await loadFvad());
  }

  /** @param sampleRate of the audio, Hz */
  open(sampleRate: 8000 | 16_000): SpeechGate {
    const handle = this.#fvad._fvad_new();
    if (handle === 0) throw new Error('libfvad has no memory left');
    if (
      this.#fvad._fvad_set_mode(handle, MODE) !== 0 ||
      this.#fvad._fvad_set_sample_rate(handle, sampleRate) !== 0
    ) {
      throw new Error('libfvad refused its settings');
    }
    let closed = false;
    return {
      mayBeSpeech: (samples) => {
        if (closed) return false;
        // The memory may have grown, and with it the view may have been replaced.
        this.#fvad.HEAP16.set(samples, this.#samplesPointer / Int16Array.BYTES_PER_ELEMENT);
        return this.#fvad._fvad_process(handle, this.#samplesPointer, samples.length) === 1;
      },
      close: () => {
        if (closed) return;
        closed = true;
        this.#fvad._fvad_free(handle);
      },
    };
  }
}

export interface SpeechGate {
  /** @param samples 20 ms */
  mayBeSpeech(samples: Int16Array): boolean;
  /** Closes it. Idempotent. */
  close(): void;
}
