import { availableParallelism } from 'node:os';
import { type AudioFormat, bytesPerMs } from '../../audio/format.js';
import type { Clock } from '../../clock/clock.js';
import type { PiperFiles } from '../../local-models/local-models.js';
import { ownProcess } from '../../process/own-process.js';
import { type EspeakClient, speechFailed } from '../espeak/espeak-client.js';
import type { FromPiper, SpokenWord, ToPiper } from '../speech/messages.js';
import type { SpokenChunk } from '../speech/rendered-cache.js';
import { VoiceProcess } from '../speech/voice-process.js';
import { phonemeIds, withPunctuation } from './phonemes.js';
import { type SpeechPiece, speechPieces } from './speech-pieces.js';
import { readVoiceConfig, type VoiceConfig } from './voice-config.js';

const MOST_THREADS = 4;

export interface NeuralVoiceOptions {
  readonly files: PiperFiles;
  /** Knows how words are pronounced. */
  readonly espeak: EspeakClient;
  readonly clock: Clock;
}

export interface NeuralSpeech {
  readonly text: string;
  /** 1 is the voice's own; 2 is twice as fast. */
  readonly pace: number;
  readonly format: AudioFormat;
}

type Spoken = Extract<FromPiper, { type: 'spoken' }>;

/** Speaks by a Piper voice: espeak-ng gives the phonemes, a process of its own makes the sound. */
export class NeuralVoice {
  readonly name: string;
  readonly #options: NeuralVoiceOptions;
  readonly #config: VoiceConfig;
  #process: VoiceProcess<ToPiper, FromPiper> | undefined;

  constructor(options: NeuralVoiceOptions) {
    this.name = options.files.name;
    this.#options = options;
    this.#config = readVoiceConfig(options.files.config);
  }

  get language(): string {
    return this.#config.language;
  }

  /** Returns whether the process has been started and can speak. */
  get isReady(): boolean {
    return this.#process?.isReady ?? false;
  }

  /** Starts the process; resolves once it can speak. */
  ready(): Promise<void> {
    return this.#started().ready();
  }

  /** Speaks a text piece by piece; the next piece is made while one is listened to. */
  async *speak(speech: NeuralSpeech, signal?: AbortSignal): AsyncIterable<SpokenChunk> {
    const leaving = new AbortController();
    const stopped = signal ? AbortSignal.any([signal, leaving.signal]) : leaving.signal;
    const pieces = speechPieces(speech.text);
    const make = (index: number) => {
      const piece = pieces[index];
      const making = piece && this.#make(piece, speech, stopped);
      // It may fail before anyone waits for it.
      making?.catch(() => {});
      return making;
    };
    let offsetMs = 0;
    try {
      let making = make(0);
      for (let index = 0; making; index++) {
        const spoken = await making;
        making = make(index + 1);
        if (!spoken) continue;
        yield { audio: spoken.audio, words: wordsOf(pieces[index]!.text, spoken, offsetMs) };
        offsetMs += spoken.audio.length / bytesPerMs(speech.format);
      }
    } finally {
      leaving.abort();
    }
  }

  close(): void {
    this.#process?.close();
  }

  /** Synthesizes a piece; undefined where there is nothing to say (`–`). */
  async #make(
    { text, tailMs }: SpeechPiece,
    { pace, format }: NeuralSpeech,
    signal: AbortSignal,
  ): Promise<Spoken | undefined> {
    const { espeakVoice, phonemeIds: ids, lengthScale } = this.#config;
    const ipa = withPunctuation(await this.#options.espeak.phonemes(text, espeakVoice, signal), text);
    if (ipa === '') return undefined;
    const phonemes = phonemeIds(ipa, ids);
    const answers = this.#started().request(
      (id) => ({ type: 'speak', id, phonemes, lengthScale: lengthScale / pace, tailMs, format }),
      () => true,
      signal,
    );
    for await (const answer of answers) {
      if (answer.type === 'failed') throw speechFailed(answer);
      return answer;
    }
    return undefined;
  }

  #started(): VoiceProcess<ToPiper, FromPiper> {
    const { files, clock } = this.#options;
    const threads = Math.min(MOST_THREADS, Math.max(1, Math.floor(availableParallelism() / 2)));
    this.#process ??= new VoiceProcess({
      process: ownProcess(import.meta.url, './piper-process'),
      args: [files.model, String(this.#config.sampleRate), String(threads)],
      clock,
    });
    return this.#process;
  }
}

/** Shares the time of a piece's sound among its words by their letters. */
function wordsOf(text: string, { speechFromMs, speechToMs }: Spoken, offsetMs: number): SpokenWord[] {
  const words = text.split(/\s+/u).filter((word) => word !== '');
  const weights = words.map((word) => (word.match(/[\p{L}\p{N}]/gu)?.length ?? 0) + 1);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const perWeight = (speechToMs - speechFromMs) / total;
  let before = 0;
  return words.map((word, index) => {
    const startMs = offsetMs + speechFromMs + before * perWeight;
    before += weights[index]!;
    return { text: word, startMs, endMs: offsetMs + speechFromMs + before * perWeight };
  });
}
