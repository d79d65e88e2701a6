import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { WebSocket } from 'ws';
import { audioMessages } from './chunks.js';
import type { ElevenLabsCounters, ElevenLabsFaults } from './options.js';
import {
  OUTPUT_FORMATS,
  parseFirstMessage,
  parseTextMessage,
  type Refusal,
  type StreamInputQuery,
  type TextMessage,
} from './request.js';
import type { SpeechSource } from './speech.js';

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
  /** Whether a key from the handshake's header or the first message is good. */
  readonly accepts: (key: string | undefined) => boolean;
}

type Fault = 'drop' | 'error' | 'freeze' | 'garbage' | 'stall';

const FAULTS: readonly Fault[] = ['drop', 'error', 'freeze', 'garbage', 'stall'];

/** Serves one accepted WebSocket: one turn of speech, then it is closed. */
export class StreamInputConnection {
  readonly #socket: WebSocket;
  readonly #query: StreamInputQuery;
  readonly #context: ConnectionContext;
  readonly #headerKey: string | undefined;
  readonly #gone = new AbortController();
  #initialised = false;
  #gathered = '';
  #spoke = false;
  #textEnded = false;
  #completed = false;
  #closing = false;
  #audioMs = 0;
  #fault: Fault | undefined;
  #inactivity: Timer | undefined;
  /** Generations follow one another. */
  #work: Promise<void> = Promise.resolve();

  constructor(
    socket: WebSocket,
    query: StreamInputQuery,
    headerKey: string | undefined,
    context: ConnectionContext,
  ) {
    this.#socket = socket;
    this.#query = query;
    this.#headerKey = headerKey;
    this.#context = context;
    context.counters.connections += 1;
    context.counters.open += 1;
    socket.on('message', (data: Buffer, isBinary) => this.#received(data, isBinary));
    socket.on('error', () => {});
    socket.on('close', () => this.#closed());
    this.#restartInactivity();
  }

  /** Sends the reason and closes with 1008, as the service does. */
  refuse({ error, message }: Refusal): void {
    if (this.#closing) return;
    this.#context.counters.violations += 1;
    this.#send({ message, error, code: 1008 });
    this.#close(1008, message);
  }

  #received(data: Buffer, isBinary: boolean): void {
    if (this.#closing) return;
    if (isBinary) {
      this.refuse({ error: 'invalid_message', message: 'messages are JSON text' });
      return;
    }
    let json: unknown;
    try {
      json = JSON.parse(data.toString('utf8'));
    } catch {
      this.refuse({ error: 'invalid_message', message: 'the message is not JSON' });
      return;
    }
    this.#restartInactivity();
    if (this.#initialised) this.#take(parseTextMessage(json));
    else this.#initialise(json);
  }

  #initialise(json: unknown): void {
    const first = parseFirstMessage(json);
    if ('error' in first) {
      this.refuse(first);
    } else if (!this.#context.accepts(this.#headerKey ?? first.xi_api_key)) {
      this.refuse({ error: 'invalid_api_key', message: 'Invalid API key' });
    } else {
      this.#initialised = true;
    }
  }

  #take(message: TextMessage | Refusal): void {
    if ('error' in message) {
      this.refuse(message);
      return;
    }
    if (this.#textEnded) {
      this.refuse({ error: 'invalid_message', message: 'the text was already ended' });
      return;
    }
    const { text, flush = false, try_trigger_generation: trigger = false } = message;
    if (text.trim() === '') {
      if (text !== '' && !flush) this.#context.counters.keepAlives += 1;
    } else {
      this.#begin();
      this.#gathered += text;
      this.#context.counters.characters += text.trimEnd().length;
    }
    const enough = this.#query.auto_mode || trigger || this.#gathered.length >= GATHERED_CHARACTERS;
    if (text === '' || flush || enough) this.#generate();
    if (text === '') this.#end();
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
      if (this.#freezesNow()) await clock.sleep(2 ** 31 - 1, gone);
      this.#send(message);
      this.#audioMs += audioMs;
      dueAt = Math.max(dueAt, clock.monotonic()) + audioMs / speed;
    }
  }

  #end(): void {
    this.#textEnded = true;
    this.#inactivity?.cancel();
    void this.#work.then(() => {
      if (this.#closing || this.#gone.signal.aborted) return;
      if (this.#spoke) this.#context.counters.completed += 1;
      this.#completed = true;
      this.#send({ audio: null, isFinal: true, normalizedAlignment: null, alignment: null });
      this.#close(1000, '');
    });
  }

  #breaksNow(): boolean {
    if (this.#closing) return true;
    if (this.#fault === undefined || this.#fault === 'freeze' || !this.#isDue()) return false;
    if (this.#fault === 'drop') {
      this.#closing = true;
      this.#socket.terminate();
    } else if (this.#fault === 'garbage') {
      this.#socket.send('<html>502 Bad Gateway</html>');
      this.#close(1011, 'failed on purpose');
    } else {
      this.#send({ message: 'failed on purpose', error: 'internal_server_error', code: 1011 });
      this.#close(1011, 'failed on purpose');
    }
    return true;
  }

  #freezesNow(): boolean {
    return this.#fault === 'freeze' && this.#isDue();
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
    if (this.#gone.signal.aborted || this.#closing) return;
    this.#send({ message: String(error), error: 'internal_server_error', code: 1011 });
    this.#close(1011, 'internal error');
  }

  #restartInactivity(): void {
    this.#inactivity?.cancel();
    const { inactivity_timeout: seconds } = this.#query;
    const timeoutMs = seconds === undefined ? this.#context.inactivityTimeoutMs : seconds * 1000;
    this.#inactivity = this.#context.clock.schedule(timeoutMs, () => {
      this.refuse({
        error: 'input_timeout_exceeded',
        message: `Have not received a new text input within the timeout of ${timeoutMs / 1000} seconds.`,
      });
    });
  }

  #send(message: unknown): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #close(code: number, reason: string): void {
    this.#closing = true;
    this.#inactivity?.cancel();
    this.#socket.close(code, reason.slice(0, 120));
  }

  #closed(): void {
    const { counters } = this.#context;
    counters.open -= 1;
    if (this.#spoke && !this.#completed && !this.#closing) counters.aborted += 1;
    this.#inactivity?.cancel();
    this.#gone.abort(new Error('the client went away'));
  }
}
