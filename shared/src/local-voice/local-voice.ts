import { PCMU_8K } from '../audio/format.js';
import { type Clock, systemClock } from '../clock/clock.js';
import type { PiperFiles } from '../local-models/local-models.js';
import { EspeakClient } from './espeak/espeak-client.js';
import { NeuralVoice } from './neural/neural-voice.js';
import { KeptRenderings } from './speech/kept-renderings.js';
import type { SpeechRequest } from './speech/messages.js';
import { RenderedCache, type SpokenChunk } from './speech/rendered-cache.js';
import { espeakVoices, speakerOf } from './voices.js';

export type { SpeechRequest, SpokenWord } from './speech/messages.js';
export type { SpokenChunk } from './speech/rendered-cache.js';

/** espeak-ng's own default, in words a minute; a neural voice's own pace stands for it. */
const DEFAULT_RATE = 175;
/** A neural voice that is still being loaded is waited for so long; then espeak-ng says this one text. In ms. */
const LOADED_WITHIN_MS = 1500;
/** About 17 minutes of speech on a phone line. */
const DEFAULT_CACHE_BYTES = 8_000_000;

/** A voice that needs no key and no network: a neural one where it is installed, and espeak-ng. */
export interface LocalVoice {
  /**
   * Speaks a text chunk by chunk; the same request always gives the same bytes (but while a neural voice is being
   * loaded: espeak-ng stands in for it, because a caller waits). While espeak-ng is being started it gives empty chunks
   * as signs, one a second for half a minute at most. Throws `ServiceError`
   * `local_voice_unknown_voice`, `local_voice_crashed` (retryable) or `local_voice_closed`; on abort it ends
   * by the signal's reason.
   */
  speak(request: SpeechRequest, signal?: AbortSignal): AsyncIterable<SpokenChunk>;
  /** Resolves once espeak-ng can speak; at once where texts are kept, as it starts with the first that is not. */
  ready(): Promise<void>;
  /**
   * Starts espeak-ng, also where texts are kept, and the neural voice, if there is one; resolves once they can speak.
   * Else each starts when it is first needed.
   */
  warm(): Promise<void>;
  /** Stops the processes. Requests in flight fail. Idempotent. */
  close(): void;
  /** Of espeak-ng's process that is running now; undefined between a crash and the restart. */
  readonly pid: number | undefined;
}

export interface LocalVoiceOptions {
  readonly clock?: Clock;
  /** Bytes of finished texts kept for repetition; 0 keeps none. */
  readonly cacheBytes?: number;
  /** A directory in which finished texts are kept beyond the process; none by default. */
  readonly keepIn?: string | undefined;
  /** A Piper voice; without one espeak-ng speaks everything. */
  readonly model?: PiperFiles | undefined;
}

/** Starts the voice; texts asked for before it is ready wait for it. */
export function startLocalVoice(options: LocalVoiceOptions = {}): LocalVoice {
  return new LocalVoices(options);
}

class LocalVoices implements LocalVoice {
  #startedEspeak: EspeakClient | undefined;
  readonly #neural: NeuralVoice | undefined;
  readonly #cache: RenderedCache;
  readonly #kept: KeptRenderings | undefined;
  readonly #model: string;
  readonly #clock: Clock;
  #closed = false;

  constructor({ clock = systemClock, cacheBytes = DEFAULT_CACHE_BYTES, keepIn, model }: LocalVoiceOptions) {
    this.#clock = clock;
    // With what was kept it may never be needed.
    if (keepIn === undefined) this.#startedEspeak = new EspeakClient(clock);
    this.#neural = model && new NeuralVoice({ files: model, espeak: this.#espeak, clock });
    this.#cache = new RenderedCache(cacheBytes);
    this.#model = model?.name ?? '';
    this.#kept = keepIn === undefined ? undefined : new KeptRenderings(keepIn);
  }

  get #espeak(): EspeakClient {
    this.#startedEspeak ??= new EspeakClient(this.#clock);
    if (this.#closed) this.#startedEspeak.close();
    return this.#startedEspeak;
  }

  get pid(): number | undefined {
    return this.#startedEspeak?.pid;
  }

  ready(): Promise<void> {
    return this.#startedEspeak?.ready() ?? Promise.resolve();
  }

  async warm(): Promise<void> {
    await Promise.all([this.#espeak.ready(), this.#neural?.ready()]);
  }

  async *speak(request: SpeechRequest, signal?: AbortSignal): AsyncIterable<SpokenChunk> {
    const { voice = '', espeakVoice = '', language = 'en-US', format = PCMU_8K } = request;
    const rate = Math.min(450, Math.max(80, Math.round(request.rate ?? DEFAULT_RATE)));
    const wanted = speakerOf(voice, language, this.#neural);
    const speaker = wanted === 'neural' && !(await this.#isLoaded(signal)) ? 'espeak' : wanted;
    const named = voice === '' || voice === 'espeak' || wanted === 'neural' ? espeakVoice : voice;
    const voices = speaker === 'neural' ? [] : espeakVoices(named, language);
    const key = JSON.stringify([
      request.text,
      speaker === 'neural' ? this.#model : speaker,
      voices,
      rate,
      format,
    ]);
    const known = this.#cache.get(key) ?? (await this.#kept?.get(key));
    if (known) {
      this.#cache.put(key, known);
      for (const chunk of known) {
        signal?.throwIfAborted();
        yield chunk;
      }
      return;
    }
    const { text } = request;
    const speech =
      speaker === 'neural' && this.#neural
        ? this.#neural.speak({ text, pace: rate / DEFAULT_RATE, format }, signal)
        : this.#espeak.speak({ text, voices, rate, format }, signal);
    const chunks: SpokenChunk[] = [];
    for await (const chunk of speech) {
      if (chunk.audio.length > 0 || chunk.words) chunks.push(chunk);
      yield chunk;
    }
    this.#cache.put(key, chunks);
    void this.#kept?.put(key, chunks);
  }

  /** Returns whether the neural voice can speak, or can within a moment. */
  async #isLoaded(signal?: AbortSignal): Promise<boolean> {
    const neural = this.#neural;
    if (!neural || neural.isReady) return neural !== undefined;
    const enough = new AbortController();
    const stopped = signal ? AbortSignal.any([signal, enough.signal]) : enough.signal;
    const late = this.#clock.sleep(LOADED_WITHIN_MS, stopped).then(() => false);
    // Aborted when the voice is there, or with the request.
    late.catch(() => {});
    try {
      return await Promise.race([neural.ready().then(() => true), late]);
    } finally {
      enough.abort();
    }
  }

  close(): void {
    this.#closed = true;
    this.#startedEspeak?.close();
    this.#neural?.close();
  }
}
