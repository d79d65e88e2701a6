import { type ChildProcess, fork } from 'node:child_process';
import type { Clock } from '../../clock/clock.js';
import { ServiceError } from '../../errors/service-error.js';
import type { OwnProcess } from '../../process/own-process.js';

/** Wait before a crashed process is started again, in ms; doubles up to the limit while it keeps crashing. */
const FIRST_RESTART_MS = 100;
const LONGEST_RESTART_MS = 5000;
/** From one sign that the process is being started to the next, in ms, and how many there are: half a minute's. */
const SIGN_EVERY_MS = 1000;
const MOST_SIGNS = 30;

export interface VoiceProcessOptions {
  readonly process: OwnProcess;
  readonly args?: readonly string[];
  readonly clock: Clock;
}

interface Cancel {
  readonly type: 'cancel';
  readonly id: number;
}
type Answer<From> = Extract<From, { readonly id: number }>;

interface InFlight<Message> {
  take(message: Message): void;
  fail(error: unknown): void;
}

/** Runs a process that makes speech: it answers requests by message, and is started again when it crashes. */
export class VoiceProcess<
  To extends { readonly type: string; readonly id: number },
  From extends { readonly type: string },
> {
  readonly #options: VoiceProcessOptions;
  readonly #inFlight = new Map<number, InFlight<Answer<From>>>();
  #process: ChildProcess | undefined;
  #lastId = 0;
  #restartMs = FIRST_RESTART_MS;
  #closed = false;
  #starting = true;
  #ready!: Promise<void>;
  #becameReady!: () => void;

  constructor(options: VoiceProcessOptions) {
    this.#options = options;
    this.#expectReady();
    this.#start();
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get isReady(): boolean {
    return this.#process !== undefined && !this.#starting;
  }

  /** Resolves once it can work. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /**
   * Gives a sign each second while the process starts, which takes a busy machine long: a caller who waits for what it is to
   * answer knows by them that it is not dead. One that never starts is no longer excused after half a minute.
   */
  async *startingSigns(signal?: AbortSignal): AsyncGenerator<void> {
    const isStarting = () => this.#process !== undefined && this.#starting && !this.#closed;
    for (let signs = 0; signs < MOST_SIGNS && isStarting() && !signal?.aborted; signs++) {
      const enough = new AbortController();
      const stopped = signal ? AbortSignal.any([signal, enough.signal]) : enough.signal;
      // Aborted when the process is ready, or with the request.
      const waited = this.#options.clock.sleep(SIGN_EVERY_MS, stopped).catch(() => {});
      await Promise.race([this.#ready, waited]);
      enough.abort();
      yield;
    }
  }

  /**
   * Sends a request and gives what is answered, up to and with the first answer that `isLast` accepts.
   * When the reader leaves before, the work is cancelled. Throws the failures of the process.
   */
  async *request(
    makeRequest: (id: number) => To,
    isLast: (message: Answer<From>) => boolean,
    signal?: AbortSignal,
  ): AsyncGenerator<Answer<From>> {
    signal?.throwIfAborted();
    if (this.#closed) throw closed();
    if (!this.#process) throw crashed();
    const id = ++this.#lastId;
    const arrived: Answer<From>[] = [];
    let failure: { readonly error: unknown } | undefined;
    let finished = false;
    let wake = () => {};
    const stop = (error: unknown) => {
      failure ??= { error };
      wake();
    };
    this.#inFlight.set(id, {
      take(message) {
        arrived.push(message);
        wake();
      },
      fail: stop,
    });
    this.#holdProcess();
    const onAbort = () => stop(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#send(makeRequest(id));
    try {
      while (!finished) {
        if (failure) throw failure.error;
        const message = arrived.shift();
        if (message) {
          finished = isLast(message);
          yield message;
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#inFlight.delete(id);
      if (!finished) this.#send({ type: 'cancel', id });
      this.#holdProcess();
    }
  }

  /** Stops the process. Requests in flight fail. Idempotent. */
  close(): void {
    this.#closed = true;
    this.#process?.kill('SIGTERM');
    this.#failAll(closed());
  }

  #start(): void {
    const { process: own, args = [] } = this.#options;
    const child = fork(own.entry, args, {
      execArgv: [...own.execArgv],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#process = child;
    this.#starting = true;
    child.on('message', (message) => this.#receive(message as unknown as From));
    child.on('error', () => this.#lost(child));
    child.on('exit', () => this.#lost(child));
    this.#holdProcess();
  }

  #receive(message: From): void {
    if (message.type === 'ready') {
      this.#restartMs = FIRST_RESTART_MS;
      this.#starting = false;
      this.#becameReady();
      this.#holdProcess();
      return;
    }
    const answer = message as Answer<From>;
    this.#inFlight.get(answer.id)?.take(answer);
  }

  /** Fails what was in flight when the process is gone, and starts it again unless we ended it. */
  #lost(child: ChildProcess): void {
    if (this.#process !== child) return;
    this.#process = undefined;
    this.#failAll(this.#closed ? closed() : crashed());
    if (this.#closed) return;
    this.#expectReady();
    const delay = this.#restartMs;
    this.#restartMs = Math.min(LONGEST_RESTART_MS, delay * 2);
    this.#options.clock.schedule(delay, () => {
      if (!this.#closed) this.#start();
    });
  }

  #expectReady(): void {
    this.#ready = new Promise((resolve) => {
      this.#becameReady = resolve;
    });
  }

  #send(message: To | Cancel): void {
    const child = this.#process;
    if (child?.connected) child.send(message, (error) => error && this.#lost(child));
  }

  #failAll(error: ServiceError): void {
    for (const request of this.#inFlight.values()) request.fail(error);
  }

  /** Holds the user's process open while the voice starts or speaks; an idle one must not keep it alive. */
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
