import type { WebRtcAnswer, WebRtcOffer } from '@voice/shared/contracts/webrtc';
import { MediaStreamTrack, RTCPeerConnection, RtpHeader, RtpPacket } from 'werift';

/** Hands an offer to the worker. */
export type Relay = (offer: WebRtcOffer) => Promise<WebRtcAnswer>;

/** The number that Opus has in this peer's offers. */
const PAYLOAD_TYPE = 96;
/** Ticks of Opus' clock in 20 ms. */
const TICKS = 960;
const CONNECTED_WITHIN_MS = 15_000;

export interface WebRtcPeerEvents {
  /** A packet's payload; `at` is monotonic ms. */
  readonly onPacket: (payload: Buffer, at: number) => void;
  readonly onClosed: () => void;
}

/** A browser's connection without a browser: real ICE, DTLS and SRTP over loopback, Opus already encoded. */
export class WebRtcPeer {
  readonly #connection: RTCPeerConnection;
  readonly #track: MediaStreamTrack;
  #sent = 0;

  private constructor(connection: RTCPeerConnection, track: MediaStreamTrack) {
    this.#connection = connection;
    this.#track = track;
  }

  /** Resolves when packets flow. */
  static async open(relay: Relay, events: WebRtcPeerEvents): Promise<WebRtcPeer> {
    const connection = new RTCPeerConnection({ iceServers: [], iceAdditionalHostAddresses: ['127.0.0.1'] });
    const track = new MediaStreamTrack({ kind: 'audio' });
    connection.onTrack.subscribe((received) => {
      received.onReceiveRtp.subscribe(({ payload }) => events.onPacket(payload, performance.now()));
    });
    connection.addTransceiver(track, { direction: 'sendrecv' });
    const connected = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error('a WebRTC connection did not come up')),
        CONNECTED_WITHIN_MS,
      );
      connection.connectionStateChange.subscribe((state) => {
        if (state === 'connected') {
          clearTimeout(timer);
          resolve();
        } else if (state === 'closed' || state === 'failed') events.onClosed();
      });
    });
    await connection.setLocalDescription(await connection.createOffer());
    await gathered(connection);
    const { sdp } = connection.localDescription!;
    await connection.setRemoteDescription(await relay({ sdp, type: 'offer' }));
    await connected;
    return new WebRtcPeer(connection, track);
  }

  /** Sends the next 20 ms. */
  send(payload: Uint8Array): void {
    this.#sent += 1;
    const header = new RtpHeader({
      payloadType: PAYLOAD_TYPE,
      ssrc: this.#connection.getSenders()[0]!.ssrc,
      sequenceNumber: this.#sent & 0xffff,
      timestamp: (this.#sent * TICKS) >>> 0,
    });
    this.#track.writeRtp(new RtpPacket(header, Buffer.from(payload)));
  }

  close(): void {
    void this.#connection.close();
  }
}

function gathered(connection: RTCPeerConnection): Promise<void> {
  return new Promise((resolve) => {
    if (connection.iceGatheringState === 'complete') resolve();
    else {
      connection.iceGatheringStateChange.subscribe((state) => {
        if (state === 'complete') resolve();
      });
    }
  });
}
