import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { Heartbeat } from '@voice/shared/contracts/worker';
import type { Log } from '@voice/shared/log/log';
import type { WorkerLocation } from '@voice/shared/mediasoup-worker/location';
import type { Router, WebRtcServer, Worker } from 'mediasoup/types';
import type { ListenAddress } from './listen-address.js';
import { webRtcNotAvailable } from './not-available.js';
import { RestartBackoff } from './restart-backoff.js';
import { OPUS } from './rtp-parameters.js';
import { workerBinaryState } from './worker-binary.js';

export interface WebRtcHostOptions {
  /** UDP and TCP; 0: free ones. */
  readonly port: number;
  readonly address: ListenAddress;
  readonly worker: WorkerLocation;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a connection is made in. All of it closes when mediasoup's worker dies. */
export interface WebRtcRoom {
  readonly router: Router;
  readonly server: WebRtcServer;
}

interface Running {
  readonly worker: Worker;
  readonly server: WebRtcServer;
  /** By the number that Opus has in them. */
  readonly routers: Map<number, Promise<Router>>;
}

/**
 * Runs one mediasoup process for this media worker, with one UDP and TCP port for all its connections. Started by the
 * first session, once its binary is there; started again when it dies.
 */
export class WebRtcHost {
  readonly #options: WebRtcHostOptions;
  readonly #backoff = new RestartBackoff();
  #running: Promise<Running> | undefined;
  #pid: number | undefined;
  /** Monotonic ms; not started before. */
  #notBefore = Number.NEGATIVE_INFINITY;
  #restart: Timer | undefined;
  #closed = false;

  constructor(options: WebRtcHostOptions) {
    this.#options = options;
  }

  /** Returns the process id of mediasoup's worker, while it runs. */
  get pid(): number | undefined {
    return this.#pid;
  }

  /** Returns whether sessions can be taken, for the heartbeat. */
  availability(): NonNullable<Heartbeat['webrtc']> {
    const { worker, clock } = this.#options;
    const binary = workerBinaryState(worker, clock.now());
    if (!binary.isThere) {
      const { reason, readyInSeconds } = binary;
      return { available: false, reason: reason.slice(0, 500), ready_in_seconds: readyInSeconds };
    }
    const waitMs = this.#notBefore - clock.monotonic();
    if (waitMs <= 0) return { available: true };
    return {
      available: false,
      reason: 'mediasoup’s worker ended unexpectedly and is started again.',
      ready_in_seconds: Math.ceil(waitMs / 1000),
    };
  }

  /**
   * Loads mediasoup's library where its worker is there: 25 MB, and 100 to 400 ms in which nothing else runs. For the
   * start of the process, so that the first session does not do it beside live calls.
   */
  async prepare(): Promise<void> {
    if (!this.#closed && this.availability().available) await loadMediasoup();
  }

  /**
   * Returns a router in which Opus has the given payload type: mediasoup numbers what it sends as its router does, and
   * a browser expects its own number. There are a handful of them in the world.
   * @throws ServiceError 503 `webrtc_not_available`
   */
  async room(payloadType: number): Promise<WebRtcRoom> {
    const { available, reason, ready_in_seconds } = this.availability();
    if (this.#closed) throw webRtcNotAvailable('this worker is stopping.');
    if (!available) throw webRtcNotAvailable(reason ?? 'it is not set up.', ready_in_seconds);
    try {
      const { worker, server, routers } = await this.#start();
      let router = routers.get(payloadType);
      if (!router) {
        router = worker.createRouter({ mediaCodecs: [{ ...OPUS, preferredPayloadType: payloadType }] });
        routers.set(payloadType, router);
        router.catch(() => routers.delete(payloadType));
      }
      return { router: await router, server };
    } catch (cause) {
      this.#options.log.error({ error: String(cause) }, 'mediasoup’s worker could not be used');
      throw webRtcNotAvailable(
        'mediasoup’s worker did not start; the log of the media worker says why.',
        1,
        cause,
      );
    }
  }

  close(): void {
    this.#closed = true;
    this.#restart?.cancel();
    void this.#running?.then(
      ({ worker }) => worker.close(),
      () => {},
    );
    this.#running = undefined;
  }

  #start(): Promise<Running> {
    if (!this.#running) {
      this.#running = this.#launch();
      this.#running.catch(() => this.#ended(0));
    }
    return this.#running;
  }

  async #launch(): Promise<Running> {
    const { worker: location, port, address, clock, log } = this.#options;
    const { createWorker } = await loadMediasoup();
    const worker = await createWorker({ workerBin: location.binary, logLevel: 'warn' });
    const startedAt = clock.monotonic();
    const listenInfo = {
      ip: address.ip,
      ...(address.announced === undefined ? {} : { announcedAddress: address.announced }),
      ...(port === 0 ? {} : { port }),
    };
    try {
      const server = await worker.createWebRtcServer({
        listenInfos: [
          { protocol: 'udp', ...listenInfo },
          { protocol: 'tcp', ...listenInfo },
        ],
      });
      if (this.#closed) throw new Error('the media worker is stopping');
      worker.on('died', (error) => {
        log.error({ error: String(error), pid: worker.pid }, 'mediasoup’s worker died; it is started again');
        this.#ended(clock.monotonic() - startedAt);
        this.#restart = clock.schedule(this.#notBefore - clock.monotonic(), () => {
          if (!this.#closed)
            this.#start().catch((cause) => log.error({ error: String(cause) }, 'no restart'));
        });
      });
      this.#pid = worker.pid;
      log.info({ pid: worker.pid, ...address, port }, 'mediasoup’s worker runs');
      return { worker, server, routers: new Map() };
    } catch (error) {
      worker.close();
      throw error;
    }
  }

  #ended(livedMs: number): void {
    this.#running = undefined;
    this.#pid = undefined;
    this.#notBefore = this.#options.clock.monotonic() + this.#backoff.next(livedMs);
  }
}

const loadMediasoup = () => import('mediasoup');
