import { bytesPerMs } from '@voice/shared/audio/format';
import { localVoiceParams } from '@voice/shared/catalogue/params/local';
import { ServiceError } from '@voice/shared/errors/service-error';
import { type LocalVoice, startLocalVoice } from '@voice/shared/local-voice/local-voice';
import { z } from 'zod';
import { ProviderError } from '../../provider-error.js';
import type { SpeechChunk, TextToSpeech, Voice, VoiceOptions } from '../port.js';
import { alignmentOf } from './alignment.js';

const NAME = 'local';

export interface LocalTextToSpeechOptions {
  /** One for all calls; without it, a voice is started with the first call that needs one. */
  readonly localVoice?: LocalVoice;
}

/** Creates the voice that needs no key: a neural one where it is installed, else espeak-ng; with the words' timings. */
export function createLocalTextToSpeech(options: LocalTextToSpeechOptions = {}): TextToSpeech {
  let localVoice = options.localVoice;
  return {
    name: NAME,
    open(voiceOptions) {
      localVoice ??= startLocalVoice();
      return new LocalTurnVoice(localVoice, voiceOptions);
    },
  };
}

class LocalTurnVoice implements Voice {
  readonly #localVoice: LocalVoice;
  readonly #options: VoiceOptions;
  readonly #closing = new AbortController();
  #characters = 0;

  constructor(localVoice: LocalVoice, options: VoiceOptions) {
    this.#localVoice = localVoice;
    this.#options = options;
  }

  get characters(): number {
    return this.#characters;
  }

  async *speak(sentences: AsyncIterable<string>, signal: AbortSignal): AsyncIterable<SpeechChunk> {
    const params = localVoiceParams.safeParse(this.#options.choice.params);
    if (!params.success) throw badParams(params.error);
    const stopped = AbortSignal.any([signal, this.#closing.signal]);
    const { format } = this.#options;
    let offsetMs = 0;
    let first = true;
    for await (const text of untilAborted(sentences, stopped)) {
      if (text.trim() === '') continue;
      const { voice, espeak_voice: espeakVoice, rate } = params.data;
      const request = { text, language: this.#options.language, voice, espeakVoice, rate, format };
      this.#characters += text.length;
      let bytes = 0;
      try {
        for await (const { audio, words = [] } of this.#localVoice.speak(request, stopped)) {
          bytes += audio.length;
          if (words.length === 0) yield { audio };
          else yield { audio, alignment: alignmentOf(words, offsetMs, first) };
          if (words.length > 0) first = false;
        }
      } catch (error) {
        throw stopped.aborted ? stopped.reason : asProviderError(error);
      }
      offsetMs += bytes / bytesPerMs(format);
    }
  }

  close(): void {
    this.#closing.abort(
      new ProviderError({
        provider: NAME,
        kind: 'tts',
        code: 'disconnected',
        message: 'the voice was closed',
        retryable: false,
      }),
    );
  }
}

/** Passes on what the source gives until the signal aborts, even while the source has nothing to give. */
async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncIterable<T> {
  signal.throwIfAborted();
  const iterator = source[Symbol.asyncIterator]();
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  // Nobody may be waiting for it at the moment of the abort.
  aborted.catch(() => {});
  let exhausted = false;
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (next.done) {
        exhausted = true;
        return;
      }
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a source that waits for its next sentence would hold us up.
    if (!exhausted) iterator.return?.()?.catch(() => {});
  }
}

function asProviderError(error: unknown): ProviderError {
  const known = error instanceof ServiceError ? error : undefined;
  return new ProviderError({
    provider: NAME,
    kind: 'tts',
    code: known?.code === 'local_voice_unknown_voice' ? 'bad_request' : 'unavailable',
    message: known?.message ?? 'the local voice failed',
    retryable: known?.retryable ?? false,
    cause: error,
  });
}

function badParams(error: z.ZodError): ProviderError {
  return new ProviderError({
    provider: NAME,
    kind: 'tts',
    code: 'bad_request',
    message: `parameters of the local voice: ${z.prettifyError(error)}`,
    retryable: false,
    cause: error,
  });
}
