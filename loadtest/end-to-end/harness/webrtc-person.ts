import { existsSync } from 'node:fs';
import { Decoder, Encoder } from '@evan/opus';
import { AudioConverter } from '@voice/shared/audio/converter';
import { L16_8K, PCMU_8K } from '@voice/shared/audio/format';
import { webRtcAnswer } from '@voice/shared/contracts/webrtc';
import { mediasoupWorkerLocation } from '@voice/shared/mediasoup-worker/environment';
import { MediaStreamTrack, RTCPeerConnection, RtpHeader, RtpPacket } from 'werift';
import type { Conversation } from '../../emulators/telnyx/phone.js';
import { expectStatus, type Tenant } from '../../system/tenant.js';
import { LivePerson } from './live-person.js';

const PAYLOAD_TYPE = 96;
/** 20 ms of Opus's clock. */
const FRAME_TICKS = 960;

/**
 * Gives the reason why there are no WebRTC lines here; undefined where there are. Prints it: what is skipped is
 * easily overlooked.
 */
export function whyNoWebRtc(): string | undefined {
  const { binary } = mediasoupWorkerLocation(process.env);
  if (existsSync(binary)) return undefined;
  const reason = `there is no mediasoup worker at ${binary}`;
  process.stderr.write(`\n!!! WebRTC’s calls are SKIPPED: ${reason}\n\n`);
  return reason;
}

export interface WebRtcCall {
  readonly callId: string;
  /** Makes the connection anew; the conversation goes on. */
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

/** Has the person talk to the agent over WebRTC: an independent stack, with real ICE, DTLS, SRTP and Opus. */
export async function talkByWebRtc(
  tenant: Tenant,
  agentId: string,
  conversation: Conversation,
): Promise<WebRtcCall> {
  const made = await tenant.request('POST', `/api/v1/agents/${agentId}/test/webrtc`, {});
  const { session_id, webrtc_url } = expectStatus(201, made).json as Record<string, string>;
  const path = new URL(webrtc_url!).pathname;
  const relay = async (offer: object) =>
    webRtcAnswer.parse(expectStatus(200, await tenant.request('POST', path, offer)).json);
  const encoder = new Encoder({ channels: 1, sample_rate: 8000, application: 'voip' });
  encoder.bitrate = 32_000;
  const decoder = new Decoder({ channels: 1, sample_rate: 8000 });
  const fromAgent = new AudioConverter({ from: L16_8K, to: PCMU_8K });
  const toAgent = new AudioConverter({ from: PCMU_8K, to: L16_8K });
  const hear = (packet: Uint8Array) =>
    person.loudspeaker.audio(Buffer.from(fromAgent.convert(decoder.decode(packet))));
  let connection = new PeerConnection(hear);
  const person = new LivePerson({
    conversation,
    say: (frame) => connection.send(encoder.encode(toAgent.convert(frame))),
    hangUp: () => void connection.close(),
  });
  await connection.open(relay);
  return {
    callId: session_id!,
    async reconnect() {
      await connection.close();
      connection = new PeerConnection(hear);
      await connection.open(relay, true);
    },
    async close() {
      person.close();
      await connection.close();
    },
  };
}

type Relay = (offer: object) => Promise<{ readonly type: 'answer'; readonly sdp: string }>;

class PeerConnection {
  readonly #track = new MediaStreamTrack({ kind: 'audio' });
  readonly #connection = new RTCPeerConnection({
    iceServers: [],
    iceAdditionalHostAddresses: ['127.0.0.1'],
  });
  #sent = 0;

  constructor(hear: (packet: Uint8Array) => void) {
    this.#connection.onTrack.subscribe((track) => {
      track.onReceiveRtp.subscribe(({ payload }) => {
        if (payload.length > 0) hear(payload);
      });
    });
    this.#connection.addTransceiver(this.#track, { direction: 'sendrecv' });
  }

  async open(relay: Relay, anew = false): Promise<void> {
    await this.#connection.setLocalDescription(await this.#connection.createOffer());
    await new Promise<void>((resolve) => {
      if (this.#connection.iceGatheringState === 'complete') resolve();
      else {
        this.#connection.iceGatheringStateChange.subscribe((state) => {
          if (state === 'complete') resolve();
        });
      }
    });
    const { sdp } = this.#connection.localDescription!;
    const answer = await relay({ sdp, type: 'offer', ...(anew ? { restart_pc: true } : {}) });
    await this.#connection.setRemoteDescription(answer);
  }

  /** Before the connection is up it is lost, as a microphone's would be. */
  send(payload: Uint8Array): void {
    this.#sent += 1;
    const header = new RtpHeader({
      payloadType: PAYLOAD_TYPE,
      ssrc: this.#connection.getSenders()[0]!.ssrc,
      sequenceNumber: this.#sent & 0xffff,
      timestamp: this.#sent * FRAME_TICKS,
    });
    this.#track.writeRtp(new RtpPacket(header, Buffer.from(payload)));
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}
