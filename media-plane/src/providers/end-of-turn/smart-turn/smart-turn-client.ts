import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import { startThread } from '../../../threads/start-thread.js';
import { JudgementQueue } from './judgement-queue.js';
import type { FromThread, SpeechToJudge, ThreadData, ToThread } from './messages.js';

/** Calls whose questions wait: about a second of work, and nobody waits longer for an answer. */
const MAX_WAITING = 24;
/** By then the turn has ended by its words and its pause, or goes on. In ms. */
const STALE_MS = 1000;
/** A thread that has not answered for so long hangs, in ms. */
const HANGS_AFTER_MS = 5000;
/** A thread that was lost is started again after this, in ms. */
const RESTART_MS = 30_000;

/** The thread, as its client controls it. */
interface Thread {
  post(message: ToThread): void;
  stop(): Promise<void>;
}

interface ThreadListener {
  onMessage(message: FromThread): void;
  /** Called when it has ended, or could not begin. */
  onLost(reason: string): void;
}

export type StartModelThread = (listener: ThreadListener) => Thread;

export interface SmartTurnClientOptions {
  readonly start: StartModelThread;
  readonly clock: Clock;
  readonly log: Log;
}

interface Question<Call> {
  readonly id: number;
  readonly call: Call;
  readonly onJudged: (probability: number) => void;
}

/** What a client did so far. */
interface JudgementWork {
  readonly judged: number;
  /** Questions that were dropped, because the model was behind or lost. */
  readonly dropped: number;
}

/**
 * Hands the calls' questions to the model's thread, one at a time. A question that cannot be answered in time is never
 * answered. A thread that is lost costs answers and nothing else; it is started again after a while.
 */
export class SmartTurnClient<Call extends object> {
  readonly #options: SmartTurnClientOptions;
  readonly #queue = new JudgementQueue<
    Call,
    { readonly speech: SpeechToJudge; readonly onJudged: (probability: number) => void }
  >({ capacity: MAX_WAITING, staleMs: STALE_MS });
  #thread: Thread | undefined;
  #ready = false;
  #asked: Question<Call> | undefined;
  #watchdog: Timer | undefined;
  #lastId = 0;
  #judged = 0;
  #lost = 0;
  /** Not started again before. */
  #restartAt = -Infinity;
  #closed = false;

  constructor(options: SmartTurnClientOptions) {
    this.#options = options;
  }

  get work(): JudgementWork {
    return { judged: this.#judged, dropped: this.#queue.dropped + this.#lost };
  }

  /** Starts the thread if it is not running, so that the model is there when it is first asked. */
  warm(): void {
    const { start, clock } = this.#options;
    if (this.#closed || this.#thread || clock.monotonic() < this.#restartAt) return;
    let thread: Thread | undefined;
    const own = () => thread !== undefined && this.#thread === thread;
    thread = start({
      onMessage: (message) => {
        if (own()) this.#receive(message);
      },
      onLost: (reason) => {
        if (own()) this.#lose(reason);
      },
    });
    this.#thread = thread;
  }

  /** Asks, in place of what the call asked before. */
  ask(call: Call, speech: SpeechToJudge, onJudged: (probability: number) => void): void {
    if (this.#closed) return;
    this.withdraw(call);
    this.#queue.put(call, { speech, onJudged }, this.#options.clock.monotonic());
    this.warm();
    this.#next();
  }

  /** Takes the call's question back; an answer that is on its way is not passed on. */
  withdraw(call: Call): void {
    this.#queue.withdraw(call);
    if (this.#asked?.call === call) this.#asked = { ...this.#asked, onJudged: () => {} };
  }

  /** Ends the thread. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.clear();
    this.#watchdog?.cancel();
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.stop();
  }

  #next(): void {
    const { clock } = this.#options;
    if (!this.#thread || !this.#ready || this.#asked) return;
    const next = this.#queue.take(clock.monotonic());
    if (!next) return;
    const { speech, onJudged } = next.question;
    const id = ++this.#lastId;
    this.#asked = { id, call: next.call, onJudged };
    this.#watchdog = clock.schedule(HANGS_AFTER_MS, () => this.#lose('it does not answer'));
    this.#thread.post({ id, ...speech });
  }

  #receive(message: FromThread): void {
    if (message.type === 'ready') {
      this.#ready = true;
      this.#next();
      return;
    }
    if (message.id !== this.#asked?.id) return;
    const { onJudged } = this.#asked;
    this.#asked = undefined;
    this.#watchdog?.cancel();
    if (message.type === 'judged') {
      this.#judged++;
      this.#pass(onJudged, message.probability);
    } else {
      this.#lost++;
      this.#options.log.error({ error: message.message }, 'the end-of-turn model failed');
    }
    this.#next();
  }

  #pass(onJudged: (probability: number) => void, probability: number): void {
    try {
      onJudged(probability);
    } catch (error) {
      this.#options.log.error({ err: error }, 'a listener of the end-of-turn model failed');
    }
  }

  #lose(reason: string): void {
    const { clock, log } = this.#options;
    log.error(
      { reason, retry_ms: RESTART_MS },
      'the end-of-turn model was lost: turns end by words and pause',
    );
    const thread = this.#thread;
    this.#thread = undefined;
    this.#ready = false;
    this.#lost += this.#queue.size + (this.#asked ? 1 : 0);
    this.#asked = undefined;
    this.#queue.clear();
    this.#watchdog?.cancel();
    this.#restartAt = clock.monotonic() + RESTART_MS;
    void thread?.stop();
  }
}

/** Returns how the real thread is started, for a model's file. */
export function modelThread(model: string): StartModelThread {
  return ({ onMessage, onLost }) => {
    const worker = startThread(import.meta.url, './smart-turn-thread', { model } satisfies ThreadData);
    // It does not keep the process running.
    worker.unref();
    worker.on('message', onMessage);
    worker.on('error', (error) => onLost(String(error)));
    worker.on('exit', () => onLost('it ended'));
    return {
      post: (message) => worker.postMessage(message, [message.audio.buffer]),
      stop: async () => {
        await worker.terminate();
      },
    };
  };
}
