import { WebSocket } from 'ws';
import { ConnectionFailedError, VoiceError } from './errors.js';
import type { VoiceTestRequest, WsSessionCreate } from './generated/types.js';
import type { LiveEvent } from './live-events.js';
import { Playback } from './playback.js';
import { readMessages } from './socket-messages.js';
import { TIMEOUT_MS } from './transport.js';

export interface TalkOptions extends VoiceTestRequest {
  /** Hz of the 16-bit linear PCM that goes both ways. By default 16,000. */
  readonly sampleRate?: 8000 | 16000 | 24000 | 48000;
  readonly signal?: AbortSignal;
  /** How long connecting may take (ms). By default the client's, 30,000. */
  readonly timeoutMs?: number;
}

/** What comes out of a test session. */
export type SessionEvent =
  | LiveEvent
  /** 16-bit linear PCM of the agent, little-endian, mono: play it in its order. */
  | { type: 'audio'; pcm: Uint8Array }
  /** The caller interrupts: drop what you have not played. */
  | { type: 'clear' }
  | { type: 'started'; session_id: string; sample_rate: number };

/** Events that wait for a reader: minutes of a call. */
const MAX_WAITING = 20_000;

/**
 * A call to an agent without a carrier (docs/websocket-sessions.md): send what the caller says, iterate over what
 * comes. Marks are answered for you, as for somebody who plays the audio as it comes.
 */
export class TestSession implements AsyncIterable<SessionEvent> {
  readonly id: string;
  /** Hz, both ways. */
  readonly sampleRate: number;
  readonly #socket: WebSocket;
  readonly #playback: Playback;
  readonly #waiting: SessionEvent[] = [];
  #wake = () => {};
  #over: { readonly error?: Error } | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(id: string, socket: WebSocket, sampleRate: number) {
    this.id = id;
    this.sampleRate = sampleRate;
    this.#socket = socket;
    this.#playback = new Playback((sampleRate * 2) / 1000);
    readMessages<{ type: string; name?: string }>(socket, {
      message: (message) => this.#came(message),
      audio: (pcm) => this.#heard(pcm),
      failed: (error) => this.#end(error),
    });
    socket.on('close', (code) =>
      this.#end(
        code === 1000 ? undefined : new ConnectionFailedError(`The session was closed with ${code}.`),
      ),
    );
    socket.on('error', (error) =>
      this.#end(new ConnectionFailedError(`The session broke: ${error.message}`, { cause: error })),
    );
  }

  /** Connects to a session that was created. Throws a `ConnectionFailedError`. */
  static async connect(created: WsSessionCreate, options: TalkOptions = {}): Promise<TestSession> {
    const sampleRate = options.sampleRate ?? 16_000;
    const url = new URL(created.stream_url);
    url.searchParams.set('t', created.token);
    url.searchParams.set('encoding', 'pcm16');
    url.searchParams.set('sample_rate', String(sampleRate));
    const socket = new WebSocket(url, { handshakeTimeout: options.timeoutMs ?? TIMEOUT_MS });
    const session = new TestSession(created.session_id, socket, sampleRate);
    const abort = () => session.close();
    options.signal?.addEventListener('abort', abort, { once: true });
    if (options.signal?.aborted) abort();
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', (error) =>
        reject(new ConnectionFailedError(`The session cannot be joined: ${error.message}`, { cause: error })),
      );
    });
    return session;
  }

  /** Sends what the caller says: 16-bit linear PCM, as it is spoken (frames of 20 ms are best). */
  send(pcm: Uint8Array): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(pcm);
  }

  /** Presses a key: `0` to `9`, `*`, `#`, `A` to `D`. */
  press(digit: string): void {
    this.#message({ type: 'dtmf', digit });
  }

  /** Hangs up; the iteration ends when the service has said how the session ended. */
  stop(): void {
    this.#message({ type: 'stop' });
  }

  /** Ends it at once. */
  close(): void {
    this.#end();
    this.#socket.terminate();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SessionEvent, void, void> {
    try {
      for (;;) {
        const next = this.#waiting.shift();
        if (next) yield next;
        else if (this.#over?.error) throw this.#over.error;
        else if (this.#over) return;
        else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.close();
    }
  }

  #message(message: Readonly<Record<string, unknown>>): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #heard(pcm: Buffer): void {
    this.#playback.audio(pcm.length, performance.now());
    this.#give({ type: 'audio', pcm });
  }

  #came(message: { type: string; name?: string }): void {
    const now = performance.now();
    if (message.type === 'mark') this.#playback.mark(message.name ?? '', now);
    else {
      if (message.type === 'clear') this.#playback.clear(now);
      this.#give(message as SessionEvent);
    }
    this.#answerMarks();
  }

  #answerMarks(): void {
    clearTimeout(this.#timer);
    for (const name of this.#playback.due(performance.now())) this.#message({ type: 'mark', name });
    const wait = this.#playback.nextDueIn(performance.now());
    if (wait !== undefined && !this.#over) this.#timer = setTimeout(() => this.#answerMarks(), wait);
  }

  #give(event: SessionEvent): void {
    this.#waiting.push(event);
    if (this.#waiting.length > MAX_WAITING) {
      this.#end(new VoiceError('The events of the session were not read.'));
      this.#socket.terminate();
    }
    this.#wake();
  }

  #end(error?: Error): void {
    this.#over ??= { error };
    clearTimeout(this.#timer);
    this.#wake();
  }
}
