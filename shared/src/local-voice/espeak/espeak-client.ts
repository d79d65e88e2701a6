import type { AudioFormat } from '../../audio/format.js';
import type { Clock } from '../../clock/clock.js';
import { ServiceError } from '../../errors/service-error.js';
import { ownProcess } from '../../process/own-process.js';
import type { Failed, FromEspeak, ToEspeak } from '../speech/messages.js';
import type { SpokenChunk } from '../speech/rendered-cache.js';
import { VoiceProcess } from '../speech/voice-process.js';

const NOTHING = new Uint8Array(0);

export interface EspeakSpeech {
  readonly text: string;
  readonly voices: readonly string[];
  /** Words a minute. */
  readonly rate: number;
  readonly format: AudioFormat;
}

/** Runs espeak-ng (GPL-3.0) in a process of its own, spoken with by messages only. */
export class EspeakClient {
  readonly #process: VoiceProcess<ToEspeak, FromEspeak>;

  constructor(clock: Clock) {
    this.#process = new VoiceProcess({ process: ownProcess(import.meta.url, './espeak-process'), clock });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  ready(): Promise<void> {
    return this.#process.ready();
  }

  /** Speaks; gives empty chunks as signs while the process starts. */
  async *speak(speech: EspeakSpeech, signal?: AbortSignal): AsyncIterable<SpokenChunk> {
    for await (const _ of this.#process.startingSigns(signal)) yield { audio: NOTHING };
    const answers = this.#process.request(
      (id) => ({ type: 'speak', id, ...speech }),
      ({ type }) => type === 'done',
      signal,
    );
    for await (const answer of answers) {
      if (answer.type === 'failed') throw speechFailed(answer);
      if (answer.type === 'chunk') yield { audio: answer.audio, words: answer.words };
    }
  }

  /** Returns the sounds of a text in IPA, clauses parted by ` | `. */
  async phonemes(text: string, voice: string, signal?: AbortSignal): Promise<string> {
    const answers = this.#process.request((id) => ({ type: 'phonemize', id, text, voice }), isAny, signal);
    for await (const answer of answers) {
      if (answer.type === 'failed') throw speechFailed(answer);
      if (answer.type === 'phonemes') return answer.ipa;
    }
    return '';
  }

  close(): void {
    this.#process.close();
  }
}

const isAny = () => true;

/** Converts a failure that the voice's process reported to a `ServiceError`. */
export function speechFailed({ code, message }: Failed): ServiceError {
  return new ServiceError({
    code: `local_voice_${code}`,
    status: code === 'unknown_voice' ? 422 : 502,
    message: code === 'unknown_voice' ? message : 'The local voice could not speak this text.',
    cause: message,
    retryable: false,
  });
}
