import loadFvad, { type FvadModule } from '@echogarden/fvad-wasm';
import { decodeMulaw, FRAME_BYTES, PHONE_SAMPLE_RATE } from '@voice/shared/audio/g711';

/** libfvad's "aggressive": a person does not take a click for speech. */
const MODE = 2;
/** Samples quieter than this on average are no speech: digital silence has no noise that could teach libfvad. */
const SILENCE_LEVEL = 40;

/** Voice-activity detection for one person: whether 20 ms of mu-law hold speech. */
export interface SpeechDetector {
  isSpeech(frame: Uint8Array): boolean;
  close(): void;
}

/** Loads the voice-activity detector once; each call of the result creates one for a stream. */
export async function loadSpeechDetector(): Promise<() => SpeechDetector> {
  const fvad = await loadFvad();
  return () => new FvadDetector(fvad);
}

class FvadDetector implements SpeechDetector {
  readonly #fvad: FvadModule;
  readonly #handle: number;
  readonly #pointer: number;
  readonly #samples = new Int16Array(FRAME_BYTES);

  constructor(fvad: FvadModule) {
    this.#fvad = fvad;
    this.#handle = fvad._fvad_new();
    this.#pointer = fvad._malloc(FRAME_BYTES * 2);
    if (this.#handle === 0 || this.#pointer === 0) throw new Error('libfvad is out of memory');
    fvad._fvad_set_mode(this.#handle, MODE);
    fvad._fvad_set_sample_rate(this.#handle, PHONE_SAMPLE_RATE);
  }

  isSpeech(frame: Uint8Array): boolean {
    const samples = decodeMulaw(frame, this.#samples);
    let sum = 0;
    for (const sample of samples) sum += Math.abs(sample);
    this.#fvad.HEAP16.set(samples, this.#pointer / 2);
    const voiced = this.#fvad._fvad_process(this.#handle, this.#pointer, FRAME_BYTES) === 1;
    return voiced && sum / samples.length > SILENCE_LEVEL;
  }

  close(): void {
    this.#fvad._free(this.#pointer);
    this.#fvad._fvad_free(this.#handle);
  }
}
