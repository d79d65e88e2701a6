import loadFvad, { type FvadModule } from '@echogarden/fvad-wasm';
import { FRAME_BYTES, PHONE_SAMPLE_RATE } from '@voice/shared/audio/g711';

/** libfvad's most permissive mode: the gate may pass noise on, but it must not lose speech. */
const MODE = 0;

/**
 * The cheap first look (2 us a frame): whether a frame may be speech at all, by libfvad (WebRTC's detector).
 * What it calls silence need not trouble the neural network.
 */
export class SpeechGates {
  readonly #fvad: FvadModule;
  readonly #samplesPointer: number;

  private constructor(fvad: FvadModule) {
    this.#fvad = fvad;
    this.#samplesPointer = fvad._malloc(FRAME_BYTES * Int16Array.BYTES_PER_ELEMENT);
  }

  static async load(): Promise<SpeechGates> {
    return new SpeechGates(await loadFvad());
  }

  open(): SpeechGate {
    const handle = this.#fvad._fvad_new();
    if (handle === 0) throw new Error('libfvad has no memory left');
    if (
      this.#fvad._fvad_set_mode(handle, MODE) !== 0 ||
      this.#fvad._fvad_set_sample_rate(handle, PHONE_SAMPLE_RATE) !== 0
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
  /** @param samples 20 ms at 8,000 Hz */
  mayBeSpeech(samples: Int16Array): boolean;
  /** Idempotent. */
  close(): void;
}
