import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export interface Received {
  readonly event: string;
  readonly sequenceNumber?: string;
  readonly streamSid?: string;
  readonly start?: Record<string, unknown>;
  readonly media?: { track: string; chunk: string; timestamp: string; payload: string };
  readonly mark?: { name: string };
  readonly dtmf?: { track: string; digit: string };
  readonly stop?: Record<string, unknown>;
}

/** One stream as a worker sees it. */
export class FakeStream {
  readonly received: Received[] = [];
  closeCode: number | undefined;
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => {
      this.received.push(JSON.parse(data.toString()) as Received);
    });
    socket.on('close', (code) => {
      this.closeCode = code;
    });
  }

  of(event: string): Received[] {
    return this.received.filter((message) => message.event === event);
  }

  get streamSid(): string {
    return this.of('start')[0]!.streamSid!;
  }

  /** All that the person has said so far. */
  get heard(): Buffer {
    return Buffer.concat(this.of('media').map((message) => Buffer.from(message.media!.payload, 'base64')));
  }

  audio(bytes: Uint8Array): void {
    this.raw({
      event: 'media',
      streamSid: this.streamSid,
      media: { payload: Buffer.from(bytes).toString('base64') },
    });
  }

  mark(name: string): void {
    this.raw({ event: 'mark', streamSid: this.streamSid, mark: { name } });
  }

  clear(): void {
    this.raw({ event: 'clear', streamSid: this.streamSid });
  }

  raw(message: unknown): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  close(): void {
    this.#socket.close(1000);
  }
}

/** Starts a media worker's WebSocket server that does nothing by itself. */
export async function startFakeWorker() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const streams: FakeStream[] = [];
  server.on('connection', (socket) => streams.push(new FakeStream(socket)));
  await new Promise<void>((resolve) => server.once('listening', () => resolve()));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/streams/twilio`,
    /** The streams of the call that have started. */
    streamsOf: (callSid: string) =>
      streams.filter((stream) => stream.of('start')[0]?.start?.callSid === callSid),
    async close() {
      for (const client of server.clients) client.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
