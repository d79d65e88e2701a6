import type { AudioPath } from '../audio-path.js';
import { rtpPacket, rtpPayload } from './rtp-packet.js';

const SAMPLES = 960;

/** In place of codec and jitter buffer: what is in a packet is a frame, and the reverse. */
export const plainAudioPath: AudioPath = {
  createIncoming({ onFrame }) {
    let packetsReceived = 0;
    return {
      receive(packet) {
        onFrame(rtpPayload(packet), packetsReceived * 20, false);
        packetsReceived += 1;
      },
      statistics: () => ({ packetsReceived, packetsLost: 0, concealed: 0, jitterMs: 0, bufferMs: 0 }),
      close() {},
    };
  },
  createOutgoing({ ssrc, payloadType, send }) {
    let sequenceNumber = 0;
    return {
      sendFrame(payload) {
        sequenceNumber += 1;
        const timestamp = sequenceNumber * SAMPLES;
        send(rtpPacket({ payloadType, ssrc, sequenceNumber, timestamp, payload }));
      },
      clear() {},
      close() {},
    };
  },
};
