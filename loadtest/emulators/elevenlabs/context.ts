import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { SpeechSource } from '../synthesis/speech.js';
import { audioMessages } from './chunks.js';
import type { ElevenLabsCounters, ElevenLabsFaults } from './options.js';
import { type ContextMessage, type MultiStreamInputQuery, OUTPUT_FORMATS } from './request.js';

/** Characters that are gathered before a generation starts by itself (default `chunk_length_schedule`). */
const GATHERED_CHARACTERS = 120;

export interface ConnectionContext {
  readonly source: SpeechSource;
  readonly firstAudioDelayMs: number;
  readonly speed: number;
  readonly chunkMs: number;
  readonly inactivityTimeoutMs: number;
  readonly clock: Clock;
  readonly counters: ElevenLabsCounters;
  readonly faults: ElevenLabsFaults;
  /** Whether a key from the handshake's header or a context's first message is good. */
  readonly accepts: (key: string | undefined) => boolean;
}

type Fault = 'drop' | 'error' | 'freeze' | 'garbage' | 'stall';

const FAULTS: readonly Fault[] = ['drop', 'error', 'freeze', 'garbage', 'stall'];

/** What a context does with its connection. */
interface Wire {
  send(message: unknown): void;
  /** Sends what may be no JSON. */
  sendText(text: string): void;
  tear(): void;
  close(code: number, reason: string): void;
  onFinal(): void;
  onInactive(timeoutMs: number): void;
}

/** Speaks one context's text. */
export class SpeechContext {
  readonly id: string;
  readonly #query: MultiStreamInputQuery;
  readonly #context: ConnectionContext;
  readonly #wire: Wire;
  readonly #gone = new AbortController();
  #gathered = '';
  #spoke = false;
  #flushed = false;
  #isClosed = false;
  #isOver = false;
  #audioMs = 0;
  #fault: Fault | undefined;
  #inactivity: Timer | undefined;
  /** Generations follow one another. */
  #work: Promise<void> = Promise.resolve();

  constructor(id: string, query: MultiStreamInputQuery, context: ConnectionContext, wire: Wire) {
    this.id = id;
    this.#query = query;
    this.#context = context;
    this.#wire = wire;
    this.#restartInactivity();
  }

  /** Returns whether the client has closed it; its final message may be still to come. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  take({ text, flush = false, close_context: close = false }: ContextMessage): void {
    this.#restartInactivity();
    if (text === '' && !flush && !close) this.#context.counters.keepAlives += 1;
    if (text !== undefined && text.trim() !== '') {
      this.#begin();
      this.#flushed = false;
      this.#gathered += text;
      this.#context.counters.characters += text.trimEnd().length;
    }
    const enough = this.#query.auto_mode || this.#gathered.length >= GATHERED_CHARACTERS;
    if (flush || enough) this.#generate();
    if (flush) this.#flushed = true;
    if (close) this.#close();
  }

  /** Ends with the connection; counted as given up unless the connection was closed from here. */
  abandoned(byUs: boolean): void {
    if (this.#spoke && !byUs && !this.#isOver) this.#context.counters.aborted += 1;
    this.stop();
  }

  stop(): void {
    this.#isOver = true;
    this.#inactivity?.cancel();
    this.#gone.abort(new Error('the context is over'));
  }

  /**
   * Ends behind what was flushed. Text that is closed before its first audio is lost, flushed or not: the service has
   * been seen to do so under load (github.com/pipecat-ai/pipecat/issues/4681), and here it always does.
   */
  #close(): void {
    this.#isClosed = true;
    this.#inactivity?.cancel();
    if (this.#flushed && this.#audioMs > 0) void this.#work.then(() => this.#finish(true));
    else this.#finish(!this.#spoke);
  }

  #finish(isWhole: boolean): void {
    if (this.#isOver) return;
    const { counters } = this.#context;
    if (this.#spoke && isWhole) counters.completed += 1;
    else if (this.#spoke) counters.aborted += 1;
    this.stop();
    this.#wire.send({ isFinal: true, contextId: this.id });
    this.#wire.onFinal();
  }

  #begin(): void {
    if (this.#spoke) return;
    this.#spoke = true;
    this.#context.counters.turns += 1;
    this.#fault = this.#takeFault();
  }

  #generate(): void {
    const text = this.#gathered;
    this.#gathered = '';
    if (text.trim() === '') return;
    this.#work = this.#work.then(() => this.#speak(text)).catch((error: unknown) => this.#failed(error));
  }

  async #speak(text: string): Promise<void> {
    const { source, clock, firstAudioDelayMs, speed, chunkMs } = this.#context;
    const gone = this.#gone.signal;
    gone.throwIfAborted();
    if (this.#fault === 'stall') await clock.sleep(2 ** 31 - 1, gone);
    const startedAt = clock.monotonic();
    const speech = await source.render(text, gone);
    let dueAt = startedAt + firstAudioDelayMs;
    const format = OUTPUT_FORMATS[this.#query.output_format];
    const sync = this.#query.sync_alignment;
    for (const { message, audioMs } of audioMessages(speech, { chunkMs, sync, format })) {
      const waitMs = dueAt - clock.monotonic();
      if (waitMs > 0) await clock.sleep(waitMs, gone);
      gone.throwIfAborted();
      if (this.#breaksNow()) return;
      if (this.#fault === 'freeze' && this.#isDue()) await clock.sleep(2 ** 31 - 1, gone);
      this.#wire.send({ ...message, contextId: this.id });
      this.#audioMs += audioMs;
      dueAt = Math.max(dueAt, clock.monotonic()) + audioMs / speed;
    }
  }

  #breaksNow(): boolean {
    if (this.#fault === undefined || this.#fault === 'freeze' || !this.#isDue()) return false;
    if (this.#fault === 'drop') {
      this.#wire.tear();
    } else if (this.#fault === 'garbage') {
      this.#wire.sendText('<html>502 Bad Gateway</html>');
      this.#wire.close(1011, 'failed on purpose');
    } else {
      this.#wire.send({ message: 'failed on purpose', error: 'internal_server_error', code: 1011 });
      this.#wire.close(1011, 'failed on purpose');
    }
    return true;
  }

  #isDue(): boolean {
    return this.#audioMs >= this.#context.faults.afterAudioMs;
  }

  #takeFault(): Fault | undefined {
    const { faults } = this.#context;
    const fault = FAULTS.find((name) => faults[`${name}Next`] > 0);
    if (fault) faults[`${fault}Next`] -= 1;
    return fault;
  }

  #failed(error: unknown): void {
    if (this.#gone.signal.aborted) return;
    this.#wire.send({ message: String(error), error: 'internal_server_error', code: 1011 });
    this.#wire.close(1011, 'internal error');
  }

  #restartInactivity(): void {
    this.#inactivity?.cancel();
    const { inactivity_timeout: seconds } = this.#query;
    const timeoutMs = seconds === undefined ? this.#context.inactivityTimeoutMs : seconds * 1000;
    this.#inactivity = this.#context.clock.schedule(timeoutMs, () => this.#wire.onInactive(timeoutMs));
  }
}
