import { parentPort, workerData } from 'node:worker_threads';
import loadEspeak, { type EspeakModule, type EspeakWorker } from '@echogarden/espeak-ng-emscripten';
import { frameBytes } from '../../audio/format.js';
import { Resampler } from '../../audio/resample.js';
import { encodeSamples } from '../../audio/samples.js';
import type { FromEspeak, Phonemization, Rendering, ToEspeak } from '../speech/messages.js';
import { LONGEST_PIECE } from '../speech/sentences.js';
import { WordTimings } from './word-timings.js';

/** Frames of 20 ms in a chunk that is passed on, at least: fewer, larger messages than espeak-ng's 100 ms. */
const CHUNK_FRAMES = 10;

export interface EspeakThreadData {
  /** Holds the id of the rendering that must stop, or 0. */
  readonly cancelled: SharedArrayBuffer;
}

/**
 * Puts espeak-ng's memory back to what it was after loading, which makes it a pure function: it keeps state between
 * texts (phase of the voice, noise), so the same text would sound a little different each time. The copy of 17 MB takes
 * about 1 ms.
 */
class Snapshot {
  readonly #module: EspeakModule;
  readonly #bytes: Uint8Array;

  constructor(module: EspeakModule) {
    this.#module = module;
    let used = module.HEAPU8.length;
    while (used > 0 && module.HEAPU8[used - 1] === 0) used--;
    this.#bytes = module.HEAPU8.slice(0, used);
  }

  restore(): void {
    const memory = this.#module.HEAPU8;
    memory.set(this.#bytes);
    memory.fill(0, this.#bytes.length);
  }
}

/**
 * Grows the module's string buffer to its final size by a text larger than any that follows: it is allocated inside the
 * memory that `Snapshot` puts back (the buffer grows on the call after).
 */
function warmUp(espeak: EspeakWorker): void {
  // Four bytes a character, and room for the name of the voice.
  const long = 'word '.repeat(LONGEST_PIECE);
  for (let i = 0; i < 2; i++) {
    espeak.set_voice('en-us');
    espeak.synthesize(long, () => true);
  }
  // The stop leaves a letter of that text behind, which the next phonemes would begin with ("double-u").
  espeak.convert_to_phonemes('a', true);
}

const send = (message: FromEspeak, transfer: ArrayBuffer[] = []) =>
  parentPort!.postMessage(message, transfer);

function render(espeak: EspeakWorker, cancelled: Int32Array, rendering: Rendering): void {
  const { id, text, voices, rate, format } = rendering;
  if (!voices.some((voice) => espeak.set_voice(voice) === 0)) {
    send({ type: 'failed', id, code: 'unknown_voice', message: `espeak-ng has no voice ${voices[0]}` });
    return;
  }
  espeak.set_rate(rate);
  const timings = new WordTimings(text);
  const resampler = new Resampler(espeak.get_samplerate(), format.sampleRate);
  const chunkBytes = CHUNK_FRAMES * frameBytes(format);
  let waiting = new Uint8Array(0);
  let samples = 0;
  const pass = (audio: Uint8Array, words: ReturnType<WordTimings['take']>, last: boolean) => {
    const joined = new Uint8Array(waiting.length + audio.length);
    joined.set(waiting);
    joined.set(audio, waiting.length);
    waiting = joined;
    if (!last && words.length === 0 && waiting.length < chunkBytes) return;
    send({ type: 'chunk', id, audio: waiting, words }, [waiting.buffer]);
    waiting = new Uint8Array(0);
  };
  espeak.synthesize(text, (chunk, events) => {
    if (Atomics.load(cancelled, 0) === id) return true;
    samples += chunk.length;
    pass(encodeSamples(format.encoding, resampler.process(chunk)), timings.take(events), false);
    return false;
  });
  if (Atomics.load(cancelled, 0) !== id) {
    const endMs = (samples * 1000) / espeak.get_samplerate();
    pass(encodeSamples(format.encoding, resampler.flush()), timings.finish(endMs), true);
  }
  send({ type: 'done', id });
}

/** Finds how a text is pronounced. The module answers with the address of the text, which ends with a zero. */
function phonemize(espeak: EspeakWorker, { id, text, voice }: Phonemization): void {
  if (espeak.set_voice(voice) !== 0) {
    send({ type: 'failed', id, code: 'unknown_voice', message: `espeak-ng has no voice ${voice}` });
    return;
  }
  const from = espeak.convert_to_phonemes(text, true).ptr;
  const memory = module.HEAPU8;
  const ipa = Buffer.from(memory.subarray(from, memory.indexOf(0, from))).toString('utf8');
  send({ type: 'phonemes', id, ipa });
}

const module = await loadEspeak();
const espeak = new module.eSpeakNGWorker();
warmUp(espeak);
const snapshot = new Snapshot(module);
const cancelled = new Int32Array((workerData as EspeakThreadData).cancelled);

parentPort!.on('message', (request: Exclude<ToEspeak, { type: 'cancel' }>) => {
  try {
    snapshot.restore();
    if (request.type === 'speak') render(espeak, cancelled, request);
    else phonemize(espeak, request);
  } catch (error) {
    send({ type: 'failed', id: request.id, code: 'synthesis_failed', message: String(error) });
    // A module that has failed once is not to be trusted again: the process starts anew.
    setImmediate(() => {
      throw error;
    });
  }
});
send({ type: 'ready' });
