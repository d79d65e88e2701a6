import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Clock, systemClock } from '../clock/clock.js';
import { ServiceError } from '../errors/service-error.js';
import type { FromEspeak, SpeechRequest, ToEspeak } from './messages.js';
import { RenderedCache, type SpokenChunk } from './rendered-cache.js';
import { espeakVoices } from './voices.js';

export type { SpeechRequest, SpokenWord } from './messages.js';
export type { SpokenChunk } from './rendered-cache.js';

/** espeak-ng's own default, in words a minute. */
const DEFAULT_RATE = 175;
/** About 17 minutes of speech. */
const DEFAULT_CACHE_BYTES = 8_000_000;
/** Wait before a crashed process is started again, in ms; doubles up to the limit while it keeps crashing. */
const FIRST_RESTART_MS = 100;
const LONGEST_RESTART_MS = 5000;

/**
 * Sources under a test runner are TypeScript: Node strips the types itself, and this teaches it that an
 * import of `./x.js` is `./x.ts` there. Built code needs none of it.
 */
const RESOLVE_TYPESCRIPT = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module';
  registerHooks({ resolve(name, context, next) {
    try { return next(name, context); }
    catch (error) {
      if (name.startsWith('.') && name.endsWith('.js')) return next(name.slice(0, -3) + '.ts', context);
      throw error;
    }
  } });`,
)}`;

/** A voice that needs no key and no network: espeak-ng, in a process of its own. */
export interface LocalVoice {
  /**
   * Speaks a text chunk by chunk; the same request always gives the same bytes. Throws `ServiceError`
   * `local_voice_unknown_voice`, `local_voice_crashed` (retryable) or `local_voice_closed`; on abort it ends
   * by the signal's reason.
   */
  speak(request: SpeechRequest, signal?: AbortSignal): AsyncIterable<SpokenChunk>;
  /** Resolves once it can speak. */
  ready(): Promise<void>;
  /** Stops the process. Requests in flight fail. Idempotent. */
  close(): void;
  /** Of the process that is running now; undefined between a crash and the restart. */
  readonly pid: number | undefined;
}

export interface LocalVoiceOptions {
  readonly clock?: Clock;
  /** Mu-law bytes of finished texts kept for repetition; 0 keeps none. */
  readonly cacheBytes?: number;
}

interface InFlight {
  take(message: FromEspeak): void;
  fail(error: ServiceError): void;
}

/** Starts the voice's process; texts asked for before it is ready wait for it. */
export function startLocalVoice(options: LocalVoiceOptions = {}): LocalVoice {
  return new EspeakClient(options.clock ?? systemClock, options.cacheBytes ?? DEFAULT_CACHE_BYTES);
}

class EspeakClient implements LocalVoice {
  readonly #clock: Clock;
  readonly #cache: RenderedCache;
  readonly #inFlight = new Map<number, InFlight>();
  #process: ChildProcess | undefined;
  #lastId = 0;
  #restartMs = FIRST_RESTART_MS;
  #closed = false;
  #starting = true;
  #ready!: Promise<void>;
  #becameReady!: () => void;

  constructor(clock: Clock, cacheBytes: number) {
    this.#clock = clock;
    this.#cache = new RenderedCache(cacheBytes);
    this.#expectReady();
    this.#start();
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  ready(): Promise<void> {
    return this.#ready;
  }

  async *speak(request: SpeechRequest, signal?: AbortSignal): AsyncIterable<SpokenChunk> {
    const voices = espeakVoices(request.voice ?? '', request.language ?? 'en-US');
    const rate = Math.min(450, Math.max(80, Math.round(request.rate ?? DEFAULT_RATE)));
    const key = JSON.stringify([request.text, voices, rate]);
    const known = this.#cache.get(key);
    if (known) {
      for (const chunk of known) {
        signal?.throwIfAborted();
        yield chunk;
      }
      return;
    }
    const chunks: SpokenChunk[] = [];
    for await (const chunk of this.#synthesize(request.text, voices, rate, signal)) {
      chunks.push(chunk);
      yield chunk;
    }
    this.#cache.put(key, chunks);
  }

  close(): void {
    this.#closed = true;
    this.#process?.kill('SIGTERM');
    this.#failAll(closed());
  }

  async *#synthesize(
    text: string,
    voices: readonly string[],
    rate: number,
    signal: AbortSignal | undefined,
  ): AsyncIterable<SpokenChunk> {
    signal?.throwIfAborted();
    if (this.#closed) throw closed();
    if (!this.#process) throw crashed();
    const id = ++this.#lastId;
    const arrived: SpokenChunk[] = [];
    let finished = false;
    let failure: unknown;
    let wake = () => {};
    const stop = (error: unknown) => {
      failure ??= error;
      wake();
    };
    this.#inFlight.set(id, {
      take(message) {
        if (message.type === 'chunk') arrived.push({ audio: message.audio, words: message.words });
        else if (message.type === 'failed') stop(failed(message.code, message.message));
        else finished = true;
        wake();
      },
      fail: stop,
    });
    this.#holdProcess();
    const onAbort = () => stop(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#send({ type: 'speak', id, text, voices, rate });
    try {
      for (;;) {
        if (failure !== undefined) throw failure;
        const chunk = arrived.shift();
        if (chunk) yield chunk;
        else if (finished) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#inFlight.delete(id);
      if (!finished) this.#send({ type: 'cancel', id });
      this.#holdProcess();
    }
  }

  #start(): void {
    const source = import.meta.url.endsWith('.ts');
    const entry = new URL(`./espeak-process.${source ? 'ts' : 'js'}`, import.meta.url);
    const child = fork(fileURLToPath(entry), [], {
      execArgv: source ? ['--no-warnings', '--experimental-strip-types', '--import', RESOLVE_TYPESCRIPT] : [],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#process = child;
    this.#starting = true;
    child.on('message', (message) => this.#receive(message as FromEspeak));
    child.on('error', () => this.#lost(child));
    child.on('exit', () => this.#lost(child));
    this.#holdProcess();
  }

  #receive(message: FromEspeak): void {
    if (message.type === 'ready') {
      this.#restartMs = FIRST_RESTART_MS;
      this.#starting = false;
      this.#becameReady();
      this.#holdProcess();
      return;
    }
    this.#inFlight.get(message.id)?.take(message);
  }

  /** The process is gone: what was in flight fails, and unless we ended it, it is started again. */
  #lost(child: ChildProcess): void {
    if (this.#process !== child) return;
    this.#process = undefined;
    this.#failAll(this.#closed ? closed() : crashed());
    if (this.#closed) return;
    this.#expectReady();
    const delay = this.#restartMs;
    this.#restartMs = Math.min(LONGEST_RESTART_MS, delay * 2);
    this.#clock.schedule(delay, () => {
      if (!this.#closed) this.#start();
    });
  }

  #expectReady(): void {
    this.#ready = new Promise((resolve) => {
      this.#becameReady = resolve;
    });
  }

  #send(message: ToEspeak): void {
    const child = this.#process;
    if (child?.connected) child.send(message, (error) => error && this.#lost(child));
  }

  #failAll(error: ServiceError): void {
    for (const request of this.#inFlight.values()) request.fail(error);
  }

  /** An idle voice must not keep its user's process alive; one that starts or speaks must. */
  #holdProcess(): void {
    const child = this.#process;
    if (!child) return;
    if (this.#starting || this.#inFlight.size > 0) {
      child.ref();
      child.channel?.ref();
    } else {
      child.unref();
      child.channel?.unref();
    }
  }
}

function failed(code: 'unknown_voice' | 'synthesis_failed', message: string): ServiceError {
  return new ServiceError({
    code: `local_voice_${code}`,
    status: code === 'unknown_voice' ? 422 : 502,
    message: code === 'unknown_voice' ? message : 'The local voice could not speak this text.',
    cause: message,
    retryable: false,
  });
}

function crashed(): ServiceError {
  return new ServiceError({
    code: 'local_voice_crashed',
    status: 502,
    message: 'The local voice stopped and is being started again.',
    retryable: true,
  });
}

function closed(): ServiceError {
  return new ServiceError({
    code: 'local_voice_closed',
    status: 503,
    message: 'The local voice was closed.',
    retryable: false,
  });
}
