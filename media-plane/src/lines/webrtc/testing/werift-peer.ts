import type { WebRtcAnswer, WebRtcOffer } from '@voice/shared/contracts/webrtc';
import { MediaStreamTrack, RTCPeerConnection } from 'werift';
import { rtpPacket } from './rtp-packet.js';

type Relay = (offer: WebRtcOffer) => Promise<WebRtcAnswer>;

const PAYLOAD_TYPE = 96;
const SAMPLES = 960;

/** Plays a tester's side of a session: an independent WebRTC stack with real ICE, DTLS and SRTP over loopback. */
export class WeriftPeer {
  /** Payloads that came, in order. */
  readonly received: string[] = [];
  pcId: string | undefined;
  readonly #relay: Relay;
  readonly #connection: RTCPeerConnection;
  readonly #track = new MediaStreamTrack({ kind: 'audio' });
  #sent = 0;

  constructor(relay: Relay) {
    this.#relay = relay;
    this.#connection = new RTCPeerConnection({ iceServers: [], iceAdditionalHostAddresses: ['127.0.0.1'] });
    this.#connection.onTrack.subscribe((track) => {
      track.onReceiveRtp.subscribe(({ payload }) => this.received.push(payload.toString()));
    });
    this.#connection.addTransceiver(this.#track, { direction: 'sendrecv' });
  }

  get iceState(): string {
    return this.#connection.iceConnectionState;
  }

  /** Offers and takes the answer, as `POST …/offer` would carry them. */
  async offer(
    more: Partial<WebRtcOffer> = {},
    options: { iceRestart?: boolean } = {},
  ): Promise<WebRtcAnswer> {
    await this.#connection.setLocalDescription(await this.#connection.createOffer(options));
    await this.#gathered();
    const { sdp } = this.#connection.localDescription!;
    const answer = await this.#relay({ sdp, type: 'offer', ...more });
    this.pcId = answer.pc_id;
    await this.#connection.setRemoteDescription(answer);
    // werift starts checks of its own only before DTLS is up; an ICE lite server begins none.
    if (options.iceRestart) await this.#connection.iceTransports[0]!.start();
    return answer;
  }

  /** Sends one packet that holds the text; before the connection is up it is lost, as a microphone's would be. */
  send(text: string): void {
    const ssrc = this.#connection.getSenders()[0]!.ssrc;
    this.#sent += 1;
    this.#track.writeRtp(
      rtpPacket({
        payloadType: PAYLOAD_TYPE,
        ssrc,
        sequenceNumber: this.#sent,
        timestamp: this.#sent * SAMPLES,
        payload: Buffer.from(text),
      }),
    );
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #gathered(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#connection.iceGatheringState === 'complete') resolve();
      else {
        this.#connection.iceGatheringStateChange.subscribe((state) => {
          if (state === 'complete') resolve();
        });
      }
    });
  }
}
