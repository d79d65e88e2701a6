import type { Clock, Timer } from '@voice/shared/clock/clock';
import { LIVE_CLOSE, type ListenChannels, listenFormat } from '@voice/shared/contracts/live-streams';
import type { TenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { WebSocket } from 'ws';
import { isTerminal } from '../../calls/record/call-state.js';
import type { CallWatches } from './call-watches.js';
import { type WorkerAddress, WorkerSocket } from './worker-socket.js';

/** What may wait for a slow listener, in ms of audio. */
const MAX_BEHIND_MS = 2000;
/** How long a listener that is closed may take to take it, in ms. */
const CLOSE_WITHIN_MS = 1000;
/** How often a silent connection is pinged, in ms, so that no proxy closes it. */
const PING_MS = 15_000;

export interface ListenRelayOptions {
  readonly tenant: TenantId;
  readonly callId: string;
  readonly channels: ListenChannels;
  readonly watches: CallWatches;
  readonly workerAddress: WorkerAddress;
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The last listener has left, or the call is over. */
  readonly onIdle: () => void;
}

/**
 * One call's audio at this replica: a single connection to the worker for all who listen to the same channels. A
 * listener that falls behind is dropped; nothing waits for it.
 */
export class ListenRelay {
  readonly #options: ListenRelayOptions;
  readonly #listeners = new Set<WebSocket>();
  readonly #worker: WorkerSocket;
  readonly #unwatch: () => void;
  /** The worker's own text, for those who come later. */
  #format: string | undefined;
  #mostBehind = 0;
  #ping: Timer;
  #closed = false;

  constructor(options: ListenRelayOptions) {
    this.#options = options;
    const { tenant, callId, channels, watches, workerAddress: address, secret, clock } = options;
    this.#worker = new WorkerSocket({
      path: () => `/control/calls/${callId}/listen?channels=${channels}`,
      address,
      secret,
      clock,
      onText: (text) => this.#setFormat(text),
      onAudio: (chunk) => this.#deliver(chunk),
      // Without audio so far it was a place that was given back.
      onEnded: () => {
        if (this.#format !== undefined) this.close(LIVE_CLOSE.ended, 'the call has ended');
      },
    });
    this.#unwatch = watches.watch(tenant, callId, ({ status, worker_id }) => {
      if (isTerminal(status)) this.close(LIVE_CLOSE.ended, 'the call has ended');
      else this.#worker.setWorker(worker_id);
    });
    this.#ping = clock.schedule(PING_MS, () => this.#pingAll());
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  add(socket: WebSocket): void {
    this.#listeners.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      this.#listeners.delete(socket);
      if (this.#listeners.size === 0) this.close(LIVE_CLOSE.ended, '');
    });
    socket.on('message', () =>
      this.#drop(socket, LIVE_CLOSE.listenOnly, 'this connection is to listen only'),
    );
    if (this.#format !== undefined) socket.send(this.#format);
  }

  /** Ends it for all who are left. Idempotent. */
  close(code: number, reason: string): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unwatch();
    this.#ping.cancel();
    this.#worker.close();
    for (const socket of [...this.#listeners]) this.#drop(socket, code, reason);
    this.#options.onIdle();
  }

  #setFormat(text: string): void {
    const format = listenFormat.safeParse(JSON.parse(text));
    if (!format.success || this.#format === text) return;
    const { sample_rate, channels } = format.data;
    this.#mostBehind = (MAX_BEHIND_MS * sample_rate * channels * 2) / 1000;
    this.#format = text;
    for (const socket of this.#listeners) socket.send(text);
  }

  #deliver(chunk: Buffer): void {
    for (const socket of this.#listeners) {
      if (socket.bufferedAmount > this.#mostBehind) {
        this.#options.log.info({ call_id: this.#options.callId }, 'a slow listener is dropped');
        this.#drop(socket, LIVE_CLOSE.tooSlow, 'you are slower than the call; connect again');
      } else socket.send(chunk, { binary: true });
    }
  }

  #drop(socket: WebSocket, code: number, reason: string): void {
    this.#listeners.delete(socket);
    socket.close(code, reason);
    // The close frame waits behind what was sent before it.
    const limit = this.#options.clock.schedule(CLOSE_WITHIN_MS, () => socket.terminate());
    socket.once('close', () => limit.cancel());
    if (this.#listeners.size === 0) this.close(LIVE_CLOSE.ended, '');
  }

  #pingAll(): void {
    for (const socket of this.#listeners) socket.ping();
    this.#ping = this.#options.clock.schedule(PING_MS, () => this.#pingAll());
  }
}
