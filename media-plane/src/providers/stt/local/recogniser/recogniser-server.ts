import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import { toModelAudio } from './audio.js';
import {
  frameMessage,
  MessageReader,
  type RecognitionReply,
  type RecognitionRequest,
  recognitionRequest,
} from './messages.js';
import type { Transcription } from './moonshine.js';
import { mayHoldSpeech, plausibleText } from './plausibility.js';
import { type Queued, RequestQueue } from './request-queue.js';

/** Unread answers of one connection, beyond which it is cut. */
const MOST_UNREAD_BYTES = 1_000_000;

export interface RecogniserServerOptions {
  readonly socketPath: string;
  readonly clock: Clock;
  /** Transcribes audio of 16,000 Hz, -1..1. */
  transcribe(audio: Float32Array): Promise<Transcription>;
  /** Nobody has been connected for `unusedMs`. */
  readonly unusedMs: number;
  onUnused(): void;
}

type Asked = Queued & RecognitionRequest & { readonly socket: Socket; readonly audio: Uint8Array };

/** Serves the machine's recogniser: takes pieces of audio over a Unix socket, one model for all who ask. */
export class RecogniserServer {
  readonly #options: RecogniserServerOptions;
  readonly #server: Server;
  readonly #queue = new RequestQueue<Asked>();
  readonly #sockets = new Set<Socket>();
  #working = false;
  #unused: Timer | undefined;

  constructor(options: RecogniserServerOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  /** Listens; answers false when another recogniser serves this place already. */
  async listen(): Promise<boolean> {
    const { socketPath } = this.#options;
    if (!(await this.#tryToListen())) {
      if (await isServed(socketPath)) return false;
      // Left by one that was killed. Two that find it at once: the later replaces the earlier, which then ends unused.
      rmSync(socketPath, { force: true });
      if (!(await this.#tryToListen())) return false;
    }
    this.#watchUse();
    return true;
  }

  async close(): Promise<void> {
    this.#unused?.cancel();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #tryToListen(): Promise<boolean> {
    this.#server.listen(this.#options.socketPath);
    try {
      await once(this.#server, 'listening');
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
      throw error;
    }
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    this.#unused?.cancel();
    const reader = new MessageReader((header, audio) => this.#take(socket, header, audio));
    socket.on('data', (chunk) => {
      try {
        reader.push(chunk);
      } catch {
        socket.destroy();
      }
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#queue.drop((asked) => asked.socket === socket);
      this.#watchUse();
    });
  }

  #take(socket: Socket, header: unknown, body: Uint8Array): void {
    const request = recognitionRequest.parse(header);
    this.#queue.push({
      ...request,
      socket,
      audio: Uint8Array.from(body),
      arrivedAt: this.#options.clock.monotonic(),
      shed: () => answer(socket, { id: request.id, outcome: 'shed' }),
    });
    void this.#work();
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    for (;;) {
      const asked = this.#queue.take(this.#options.clock.monotonic());
      if (!asked) break;
      if (!asked.socket.destroyed) answer(asked.socket, await this.#recognise(asked));
    }
    this.#working = false;
  }

  async #recognise({ id, audio, encoding, sample_rate: sampleRate }: Asked): Promise<RecognitionReply> {
    try {
      const samples = toModelAudio(audio, { encoding, sampleRate });
      if (!mayHoldSpeech(samples)) return { id, outcome: 'understood', text: '', confidence: 0 };
      const heard = await this.#options.transcribe(samples);
      return { id, outcome: 'understood', text: plausibleText(heard), confidence: heard.confidence };
    } catch (error) {
      return { id, outcome: 'failed', message: error instanceof Error ? error.message : String(error) };
    }
  }

  #watchUse(): void {
    if (this.#sockets.size > 0) return;
    this.#unused?.cancel();
    this.#unused = this.#options.clock.schedule(this.#options.unusedMs, () => this.#options.onUnused());
  }
}

function answer(socket: Socket, reply: RecognitionReply): void {
  if (socket.destroyed) return;
  if (socket.writableLength > MOST_UNREAD_BYTES) socket.destroy();
  else socket.write(frameMessage(reply));
}

function isServed(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const end = (served: boolean) => {
      socket.destroy();
      resolve(served);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
