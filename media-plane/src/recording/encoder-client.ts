import { Worker } from 'node:worker_threads';
import type { FromEncoder, ToEncoder } from './messages.js';

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

/** Where one recording's answers go. */
export interface EncoderListener {
  taken(): void;
  finished(samples: number, bytes: number): void;
  abandoned(): void;
  failed(message: string): void;
}

/** One recording in the encoder's thread. */
export interface EncoderChannel {
  send(message: Omit<Extract<ToEncoder, { type: 'audio' }>, 'id' | 'type'>): void;
  /** @param silence samples that were lost at the end */
  finish(silence: number): void;
  abandon(): void;
}

/** The process's side of the encoder's thread. It starts with the first recording and keeps nothing alive. */
export class EncoderClient {
  readonly #listeners = new Map<number, EncoderListener>();
  #worker: Worker | undefined;
  #lastId = 0;

  open(path: string, listener: EncoderListener): EncoderChannel {
    const id = ++this.#lastId;
    this.#worker ??= this.#start();
    const worker = this.#worker;
    this.#listeners.set(id, listener);
    worker.ref();
    const post = (message: ToEncoder, transfer: ArrayBuffer[] = []) => {
      if (this.#listeners.has(id)) worker.postMessage(message, transfer);
    };
    post({ type: 'open', id, path });
    return {
      send: ({ left, right, silence }) =>
        post({ type: 'audio', id, silence, left, right }, [
          left.buffer as ArrayBuffer,
          right.buffer as ArrayBuffer,
        ]),
      finish: (silence) => post({ type: 'finish', id, silence }),
      abandon: () => post({ type: 'abandon', id }),
    };
  }

  #start(): Worker {
    const source = import.meta.url.endsWith('.ts');
    const worker = new Worker(new URL(`./encoder-thread.${source ? 'ts' : 'js'}`, import.meta.url), {
      execArgv: source ? ['--no-warnings', '--import', RESOLVE_TYPESCRIPT] : [],
    });
    worker.on('message', (message: FromEncoder) => this.#receive(message));
    const lost = (reason: string) => {
      if (this.#worker === worker) this.#worker = undefined;
      const listeners = [...this.#listeners.values()];
      this.#listeners.clear();
      for (const listener of listeners) listener.failed(reason);
    };
    worker.on('error', (error) => lost(`The encoder stopped: ${error}`));
    worker.on('exit', () => lost('The encoder stopped'));
    return worker;
  }

  #receive(message: FromEncoder): void {
    const listener = this.#listeners.get(message.id);
    if (!listener) return;
    if (message.type === 'taken') {
      listener.taken();
      return;
    }
    this.#listeners.delete(message.id);
    // An idle thread does not keep the process running.
    if (this.#listeners.size === 0) this.#worker?.unref();
    switch (message.type) {
      case 'finished':
        listener.finished(message.samples, message.bytes);
        return;
      case 'abandoned':
        listener.abandoned();
        return;
      case 'failed':
        listener.failed(message.message);
        return;
    }
  }
}
