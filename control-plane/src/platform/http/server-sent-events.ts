import type { Response } from 'express';
import { apiError } from './error-codes.js';

/** Nothing on the way may keep the events, or hold them back. */
const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
};

/** The most that `RecordedEvents` takes, so that it can be kept for replays, in bytes. */
export const MAX_RECORDED_BYTES = 4 * 1024 * 1024;

/** Where an answer that is streamed as events goes. */
export interface EventSink {
  /** Throws `answer_too_large` when the answer is longer than what can be kept. */
  send(event: string, data: object): void;
  /** Sends the event with which the answer ends; it always fits. */
  last(event: string, data: object): void;
}

/** Writes server-sent events (WHATWG HTML, "Server-sent events"): a name and one line of JSON each. */
export class EventStream {
  readonly #response: Response;

  constructor(response: Response) {
    this.#response = response;
    response.set(HEADERS);
    response.flushHeaders();
  }

  /** `id`: what the client names as `Last-Event-ID` when it comes again. */
  send(event: string, data: object, id?: number): void {
    this.write(id === undefined ? eventText(event, data) : `id: ${id}\n${eventText(event, data)}`);
  }

  /** Bytes that the client has not taken yet. */
  get waitingBytes(): number {
    return this.#response.writableLength;
  }

  /** Breaks the stream off, as a lost connection would. */
  destroy(): void {
    this.#response.destroy();
  }

  /** Nothing happens any more once the client is gone. */
  write(text: string): void {
    if (!this.#response.writableEnded && !this.#response.destroyed) this.#response.write(text);
  }

  end(): void {
    this.#response.end();
  }
}

/** Events on their way to a client, and what of them is kept for a replay. */
export class RecordedEvents implements EventSink {
  readonly #stream: EventStream;
  readonly #texts: string[] = [];
  #bytes = 0;

  constructor(stream: EventStream) {
    this.#stream = stream;
  }

  send(event: string, data: object): void {
    const text = eventText(event, data);
    const bytes = this.#bytes + Buffer.byteLength(text);
    if (bytes > MAX_RECORDED_BYTES) throw apiError('answer_too_large');
    this.#bytes = bytes;
    this.#write(text);
  }

  last(event: string, data: object): void {
    this.#write(eventText(event, data));
  }

  /** Returns the answer as it went over the wire. */
  recorded(): { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer } {
    return { headers: HEADERS, body: Buffer.from(this.#texts.join('')) };
  }

  #write(text: string): void {
    this.#texts.push(text);
    this.#stream.write(text);
  }
}

function eventText(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
