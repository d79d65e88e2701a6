import type { Clock, Timer } from '@voice/shared/clock/clock';
import { LIVE_CLOSE } from '@voice/shared/contracts/live-streams';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { WebSocket } from 'ws';

/** How long a worker may take to answer, in ms. */
const HANDSHAKE_TIMEOUT_MS = 3000;
/** Between two tries, in ms: doubled up to the longest, and anew after a connection. */
const RETRY_MS = 50;
const LONGEST_RETRY_MS = 1000;
/** One message of a worker, in bytes. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Where workers are; undefined for one that does not report any more. */
export type WorkerAddress = (workerId: string) => Promise<string | undefined>;

export interface WorkerSocketOptions {
  /** Path with query, made anew for each try. */
  readonly path: () => string;
  readonly address: WorkerAddress;
  readonly secret: string;
  readonly clock: Clock;
  readonly onOpen?: () => void;
  readonly onText: (text: string) => void;
  readonly onAudio?: (chunk: Buffer) => void;
  /** The worker says that the call is over, or does not hold it: there may be another worker later. */
  readonly onEnded: () => void;
}

/**
 * A WebSocket to whichever worker holds a call: connected as soon as it is known, and again when it was lost. One
 * for all followers of a call at this replica.
 */
export class WorkerSocket {
  readonly #options: WorkerSocketOptions;
  #workerId: string | null = null;
  #socket: WebSocket | undefined;
  #retry: Timer | undefined;
  #retryMs = RETRY_MS;
  #closed = false;

  constructor(options: WorkerSocketOptions) {
    this.#options = options;
  }

  /** Whether the worker is connected, or being asked. */
  get isActive(): boolean {
    return this.#socket !== undefined;
  }

  /** The worker that holds the call now; null for none. */
  setWorker(workerId: string | null): void {
    if (this.#closed || this.#workerId === workerId) return;
    this.#workerId = workerId;
    this.#drop();
    this.#retryMs = RETRY_MS;
    if (workerId !== null) void this.#connect();
  }

  close(): void {
    this.#closed = true;
    this.#workerId = null;
    this.#drop();
  }

  #drop(): void {
    this.#retry?.cancel();
    this.#retry = undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.terminate();
  }

  async #connect(): Promise<void> {
    const { address, path, secret, clock, onOpen, onText, onAudio, onEnded } = this.#options;
    const workerId = this.#workerId;
    if (workerId === null) return;
    const controlUrl = await address(workerId).catch(() => undefined);
    if (this.#workerId !== workerId || this.#socket) return;
    if (controlUrl === undefined) {
      this.#again();
      return;
    }
    const target = path();
    const socket = new WebSocket(controlUrl.replace(/^http/, 'ws') + target, {
      headers: {
        authorization: interPlaneAuthorization({ secret, method: 'GET', path: target, now: clock.now() }),
      },
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    const isCurrent = () => this.#socket === socket;
    socket.on('open', () => {
      if (!isCurrent()) return;
      this.#retryMs = RETRY_MS;
      onOpen?.();
    });
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isCurrent()) return;
      if (isBinary) onAudio?.(data);
      else onText(data.toString('utf8'));
    });
    // What went wrong is reported by the close that follows.
    socket.on('error', () => {});
    socket.on('close', (code) => {
      if (!isCurrent()) return;
      this.#socket = undefined;
      if (code === LIVE_CLOSE.ended) onEnded();
      // Also after an end: a worker that gave its place back may get the call once more.
      if (!this.#closed) this.#again();
    });
  }

  #again(): void {
    this.#retry?.cancel();
    this.#retry = this.#options.clock.schedule(this.#retryMs, () => void this.#connect());
    this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2);
  }
}
