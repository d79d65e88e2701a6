import type { Response } from 'express';

/** Writes server-sent events (WHATWG HTML, "Server-sent events"): a name and one line of JSON each. */
export class EventStream {
  readonly #response: Response;

  constructor(response: Response) {
    this.#response = response;
    response.set({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
  }

  send(event: string, data: object): void {
    if (!this.#response.writableEnded) {
      this.#response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    }
  }

  end(): void {
    this.#response.end();
  }
}
