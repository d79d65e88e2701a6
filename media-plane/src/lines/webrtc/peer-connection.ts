import { randomInt, randomUUID } from 'node:crypto';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { Consumer, DirectTransport, Producer, WebRtcTransport } from 'mediasoup/types';
import type { WebRtcRoom } from './host.js';
import { webRtcNotAvailable } from './not-available.js';
import { agentParameters, browserCapabilities, callerParameters } from './rtp-parameters.js';
import { writeAnswer } from './sdp/answer.js';
import { sdpNotSupported } from './sdp/not-supported.js';
import type { Offer } from './sdp/offer.js';
import type { Direction } from './sdp/offered-audio.js';

/**
 * `disconnected`: it may come back. `lost`: mediasoup's worker died, only a new connection can follow. `closed`: by
 * the browser or by us, for good.
 */
export type ConnectionState = 'connecting' | 'connected' | 'disconnected' | 'lost' | 'closed';

export interface PeerConnectionOptions {
  readonly room: WebRtcRoom;
  /** Of the agent's packets. */
  readonly agentSsrc: number;
  /** A packet of the browser's, whole. */
  readonly onRtp: (packet: Uint8Array) => void;
  readonly onState: (state: Exclude<ConnectionState, 'connecting'>) => void;
}

export interface ConnectionFigures {
  readonly roundTripMs: number | null;
  readonly sentBitsPerSecond: number;
  readonly receivedBitsPerSecond: number;
}

/** Without a sign of life for this long a connection is disconnected, in s (browsers send one every 2.5 to 5 s). */
const CONSENT_TIMEOUT_S = 12;
/** An offer that changes what belongs to the connection. */
const START_ANEW = 'Send the offer of a new RTCPeerConnection with restart_pc.';

/**
 * Holds this side of one RTCPeerConnection: a transport to the browser, and a direct one between mediasoup and this
 * process, with the caller's stream through both one way and the agent's the other way.
 */
export class PeerConnection {
  readonly id = randomUUID();
  readonly #options: PeerConnectionOptions;
  readonly #transport: WebRtcTransport;
  readonly #direct: DirectTransport;
  readonly #agentProducer: Producer;
  readonly #sessionId = randomInt(1, 2 ** 47);
  #version = 0;
  #offered: Offer | undefined;
  #caller: Producer | undefined;
  #agentConsumer: Consumer | undefined;
  #state: ConnectionState = 'connecting';

  private constructor(
    options: PeerConnectionOptions,
    transport: WebRtcTransport,
    direct: DirectTransport,
    agentProducer: Producer,
  ) {
    this.#options = options;
    this.#transport = transport;
    this.#direct = direct;
    this.#agentProducer = agentProducer;
    transport.on('icestatechange', () => this.#update());
    transport.on('dtlsstatechange', () => this.#update());
    transport.on('routerclose', () => this.#setState('lost'));
    transport.on('listenserverclose', () => this.#setState('lost'));
  }

  /** @throws ServiceError 503 where mediasoup's worker dies meanwhile */
  static async open(options: PeerConnectionOptions): Promise<PeerConnection> {
    try {
      return await PeerConnection.#open(options);
    } catch (cause) {
      throw webRtcNotAvailable('mediasoup’s worker did not open a connection.', 1, cause);
    }
  }

  static async #open(options: PeerConnectionOptions): Promise<PeerConnection> {
    const { router, server } = options.room;
    const [transport, direct] = await Promise.all([
      router.createWebRtcTransport({
        webRtcServer: server,
        preferUdp: true,
        iceConsentTimeout: CONSENT_TIMEOUT_S,
      }),
      router.createDirectTransport(),
    ]);
    const rtpParameters = agentParameters(options.agentSsrc);
    const agentProducer = await direct.produce({ kind: 'audio', rtpParameters });
    return new PeerConnection(options, transport, direct, agentProducer);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /**
   * Answers the first offer, or one that renegotiates: directions, the browser's stream, ICE (new credentials in
   * the offer restart it). @throws ServiceError 422 where only a new connection could, 503 where mediasoup's worker
   * dies meanwhile
   */
  async answer(offer: Offer): Promise<string> {
    try {
      return await this.#answer(offer);
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause;
      if (this.#transport.closed) throw webRtcNotAvailable('mediasoup’s worker ended meanwhile.', 1, cause);
      throw sdpNotSupported(
        'mediasoup does not accept the stream that is offered (its a=ssrc or a=mid).',
        cause,
      );
    }
  }

  async #answer(offer: Offer): Promise<string> {
    const earlier = this.#offered;
    if (earlier) refuseOtherConnection(earlier, offer);
    else await this.#connect(offer);
    if (earlier && isIceRestart(earlier, offer)) await this.#transport.restartIce();
    if (sends(offer.audio.direction)) await this.#takeCaller(offer, earlier);
    await this.#giveAgent(offer);
    this.#offered = offer;
    this.#version += 1;
    const { iceParameters, iceCandidates, dtlsParameters } = this.#transport;
    const { rtpParameters } = this.#agentConsumer ?? {};
    return writeAnswer(offer, {
      sessionId: this.#sessionId,
      version: this.#version,
      ice: iceParameters,
      candidates: iceCandidates,
      // One is enough for every browser; the strongest that all know.
      fingerprints: dtlsParameters.fingerprints.filter(({ algorithm }) => algorithm === 'sha-256'),
      stream:
        rtpParameters && receives(offer.audio.direction)
          ? { ssrc: rtpParameters.encodings![0]!.ssrc!, cname: rtpParameters.rtcp!.cname! }
          : undefined,
    });
  }

  /** Sends a whole packet of the agent's. */
  sendRtp(packet: Uint8Array): void {
    if (this.#agentProducer.closed) return;
    this.#agentProducer.send(Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength));
  }

  async figures(): Promise<ConnectionFigures> {
    const [transport] = await this.#transport.getStats();
    const outbound = (await this.#agentConsumer?.getStats())?.find(({ type }) => type === 'outbound-rtp');
    return {
      // Zero until the browser's first report.
      roundTripMs: outbound?.roundTripTime || null,
      sentBitsPerSecond: transport?.sendBitrate ?? 0,
      receivedBitsPerSecond: transport?.recvBitrate ?? 0,
    };
  }

  /** Closes the connection. Idempotent; reported as `closed` where it was not yet. */
  close(): void {
    this.#transport.close();
    this.#direct.close();
    this.#setState('closed');
  }

  async #connect({ transport: { dtlsRole, fingerprint } }: Offer): Promise<void> {
    await this.#transport.connect({ dtlsParameters: { role: dtlsRole, fingerprints: [fingerprint] } });
  }

  /** Takes the browser's stream, anew where it is another one than before. */
  async #takeCaller(offer: Offer, earlier: Offer | undefined): Promise<void> {
    const { ssrc, mid } = offer.audio;
    if (this.#caller && ssrc === earlier?.audio.ssrc && mid === earlier?.audio.mid) return;
    this.#caller?.close();
    this.#caller = await this.#transport.produce({
      kind: 'audio',
      rtpParameters: callerParameters(offer.audio),
    });
    const { rtpCapabilities } = this.#options.room.router;
    const consumer = await this.#direct.consume({ producerId: this.#caller.id, rtpCapabilities });
    consumer.on('rtp', this.#options.onRtp);
  }

  async #giveAgent({ audio }: Offer): Promise<void> {
    if (!receives(audio.direction)) {
      await this.#agentConsumer?.pause();
      return;
    }
    await this.#agentConsumer?.resume();
    this.#agentConsumer ??= await this.#transport.consume({
      producerId: this.#agentProducer.id,
      rtpCapabilities: browserCapabilities(audio.payloadType),
    });
  }

  #update(): void {
    const { iceState, dtlsState } = this.#transport;
    if (dtlsState === 'closed' || dtlsState === 'failed') this.#setState('closed');
    else if (iceState === 'disconnected') this.#setState('disconnected');
    else if (dtlsState === 'connected' && iceState !== 'new') this.#setState('connected');
  }

  #setState(state: Exclude<ConnectionState, 'connecting'>): void {
    if (this.#state === state || this.#state === 'closed' || (this.#state === 'lost' && state !== 'closed'))
      return;
    this.#state = state;
    this.#options.onState(state);
  }
}

const sends = (direction: Direction): boolean => direction === 'sendrecv' || direction === 'sendonly';
const receives = (direction: Direction): boolean => direction === 'sendrecv' || direction === 'recvonly';

function isIceRestart(earlier: Offer, offer: Offer): boolean {
  return (
    earlier.transport.iceUfrag !== offer.transport.iceUfrag ||
    earlier.transport.icePassword !== offer.transport.icePassword
  );
}

function refuseOtherConnection(earlier: Offer, offer: Offer): void {
  if (earlier.transport.fingerprint.value !== offer.transport.fingerprint.value) {
    throw sdpNotSupported(`The offer has another DTLS fingerprint than the connection. ${START_ANEW}`);
  }
  if (earlier.audio.payloadType !== offer.audio.payloadType || earlier.audio.index !== offer.audio.index) {
    throw sdpNotSupported(`The offer numbers Opus or places the audio otherwise than before. ${START_ANEW}`);
  }
}
