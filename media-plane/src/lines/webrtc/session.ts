import { randomInt } from 'node:crypto';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { WebRtcAnswer, WebRtcOffer } from '@voice/shared/contracts/webrtc';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { Log } from '@voice/shared/log/log';
import type { WebRtcRoom } from './host.js';
import type { ConnectionFigures, ConnectionState } from './peer-connection.js';
import { readOffer } from './sdp/offer.js';

/** A connection as a session uses it (`PeerConnection`). */
export interface SessionConnection {
  readonly id: string;
  readonly state: ConnectionState;
  answer(offer: ReturnType<typeof readOffer>): Promise<string>;
  sendRtp(packet: Uint8Array): void;
  figures(): Promise<ConnectionFigures>;
  close(): void;
}

export interface SessionListener {
  /** Receives a whole packet of the browser's. */
  onRtp(packet: Uint8Array): void;
  /** Called when the connection is gone and may come back, by itself, by ICE or by a new one. */
  onInterrupted(): void;
  onRestored(): void;
  /** Called when it is over for good. */
  onClosed(): void;
}

export interface WebRtcSessionOptions {
  readonly callId: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly host: { room(payloadType: number): Promise<WebRtcRoom> };
  readonly openConnection: (options: {
    readonly room: WebRtcRoom;
    readonly agentSsrc: number;
    readonly onRtp: (packet: Uint8Array) => void;
    readonly onState: (state: Exclude<ConnectionState, 'connecting'>) => void;
  }) => Promise<SessionConnection>;
  /** Called once the session has ended, by either side. */
  readonly onEnded: () => void;
}

/** How long a connection has to come up, or to come back, in ms. */
export const GRACE_MS = 15_000;
const FIGURES_INTERVAL_MS = 5000;
const NO_FIGURES: ConnectionFigures = { roundTripMs: null, sentBitsPerSecond: 0, receivedBitsPerSecond: 0 };

/**
 * Runs one call's WebRTC session, which outlives its connections. A connection that the browser closes ends it; one
 * that is disconnected may come back within a grace, or be replaced by another one, also after mediasoup's worker died.
 */
export class WebRtcSession {
  /** Of the agent's packets, over all connections. */
  readonly agentSsrc = randomInt(1, 2 ** 32);
  readonly #options: WebRtcSessionOptions;
  #listener: SessionListener | undefined;
  #connection: SessionConnection | undefined;
  #phase: 'new' | 'connected' | 'interrupted' | 'closed' = 'new';
  #grace: Timer | undefined;
  #figuresTimer: Timer | undefined;
  #figures = NO_FIGURES;
  #negotiating: Promise<unknown> = Promise.resolve();

  constructor(options: WebRtcSessionOptions) {
    this.#options = options;
    this.#startGrace();
  }

  /** Returns whether packets reach the browser. */
  get isConnected(): boolean {
    return this.#phase === 'connected';
  }

  get isClosed(): boolean {
    return this.#phase === 'closed';
  }

  /** Returns the latest figures; they are read every few seconds. */
  get figures(): ConnectionFigures {
    return this.#figures;
  }

  /** Starts delivery; a session that has closed by then says so at once. */
  listen(listener: SessionListener): void {
    this.#listener = listener;
    if (this.#phase === 'closed') listener.onClosed();
  }

  /**
   * Answers an offer: the first, one that renegotiates its connection, or one of a new connection. One after
   * another. @throws ServiceError 404, 409, 422, 503
   */
  negotiate(offer: WebRtcOffer): Promise<WebRtcAnswer> {
    const answer = this.#negotiating.then(() => this.#negotiate(offer));
    this.#negotiating = answer.catch(() => {});
    return answer;
  }

  sendRtp(packet: Uint8Array): void {
    if (this.#phase === 'connected') this.#connection?.sendRtp(packet);
  }

  /** Ends the session without a word to the listener. Idempotent. */
  close(): void {
    this.#listener = undefined;
    this.end();
  }

  /** Ends the session for its listener, too. Idempotent. */
  end(): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    this.#grace?.cancel();
    this.#figuresTimer?.cancel();
    this.#connection?.close();
    this.#options.onEnded();
    this.#listener?.onClosed();
  }

  async #negotiate(given: WebRtcOffer): Promise<WebRtcAnswer> {
    if (this.#phase === 'closed') throw sessionEnded();
    const offer = readOffer(given.sdp);
    const current = this.#connection;
    if (current && !given.restart_pc) {
      if (given.pc_id === undefined) throw alreadyConnected();
      if (given.pc_id !== current.id) throw unknownConnection();
      if (current.state === 'closed' || current.state === 'lost') throw connectionLost();
      return { sdp: await current.answer(offer), type: 'answer', pc_id: current.id };
    }
    const room = await this.#options.host.room(offer.audio.payloadType);
    const opened: SessionConnection = await this.#options.openConnection({
      room,
      agentSsrc: this.agentSsrc,
      onRtp: (packet) => {
        if (this.#connection === opened) this.#listener?.onRtp(packet);
      },
      onState: (state) => {
        if (this.#connection === opened) this.#onState(state);
      },
    });
    try {
      const sdp = await opened.answer(offer);
      if (this.isClosed) throw sessionEnded();
      this.#replaceConnection(opened);
      return { sdp, type: 'answer', pc_id: opened.id };
    } catch (error) {
      opened.close();
      throw error;
    }
  }

  #replaceConnection(connection: SessionConnection): void {
    const earlier = this.#connection;
    this.#connection = connection;
    earlier?.close();
    if (earlier) this.#interrupt();
    this.#startGrace();
  }

  #onState(state: Exclude<ConnectionState, 'connecting'>): void {
    const { callId, log } = this.#options;
    log.info({ call_id: callId, state }, 'webrtc connection');
    switch (state) {
      case 'connected':
        this.#connected();
        break;
      case 'disconnected':
      case 'lost':
        this.#interrupt();
        break;
      case 'closed':
        this.end();
        break;
    }
  }

  #connected(): void {
    this.#grace?.cancel();
    const wasInterrupted = this.#phase === 'interrupted';
    this.#phase = 'connected';
    if (!this.#figuresTimer) this.#scheduleFigures();
    if (wasInterrupted) this.#listener?.onRestored();
  }

  #interrupt(): void {
    if (this.#phase !== 'connected') return;
    this.#phase = 'interrupted';
    this.#startGrace();
    this.#listener?.onInterrupted();
  }

  #startGrace(): void {
    this.#grace?.cancel();
    this.#grace = this.#options.clock.schedule(GRACE_MS, () => {
      this.#options.log.info({ call_id: this.#options.callId }, 'webrtc connection did not come up or back');
      this.end();
    });
  }

  #scheduleFigures(): void {
    this.#figuresTimer = this.#options.clock.schedule(FIGURES_INTERVAL_MS, () => {
      // A connection that is just being closed has none.
      this.#connection
        ?.figures()
        .then((figures) => {
          this.#figures = figures;
        })
        .catch(() => {});
      this.#scheduleFigures();
    });
  }
}

const conflict = (code: string, message: string) => new ServiceError({ code, status: 409, message });

const alreadyConnected = () =>
  conflict(
    'webrtc_already_connected',
    'The session has a connection. Send its pc_id to renegotiate it, or restart_pc to connect anew.',
  );

const unknownConnection = () =>
  conflict(
    'unknown_pc_id',
    'pc_id is not that of the session’s present connection; it is in the last answer.',
  );

const connectionLost = () =>
  conflict(
    'webrtc_connection_lost',
    'That connection is lost. Send the offer of a new RTCPeerConnection with restart_pc.',
  );

const sessionEnded = () =>
  new ServiceError({ code: 'call_not_found', status: 404, message: 'The session has ended.' });
