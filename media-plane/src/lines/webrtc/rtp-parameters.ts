import type { RtpCapabilities, RtpParameters } from 'mediasoup/types';
import type { OfferedAudio } from './sdp/offered-audio.js';

/** Opus as WebRTC has it: two channels on paper, whatever is in it (RFC 7587). */
export const OPUS = {
  kind: 'audio',
  mimeType: 'audio/opus',
  clockRate: 48_000,
  channels: 2,
  parameters: { useinbandfec: 1, usedtx: 1 },
} as const;

/** How the agent's own packets number Opus; mediasoup renumbers it for the browser. */
export const AGENT_PAYLOAD_TYPE = 111;

const codec = (payloadType: number) => {
  const { kind: _, ...rest } = OPUS;
  return { ...rest, payloadType };
};

/** Builds the parameters of what the browser sends. */
export function callerParameters(audio: OfferedAudio): RtpParameters {
  const { mid, midExtension, payloadType, ssrc, reducedSizeRtcp } = audio;
  const hasMid = mid !== undefined && midExtension !== undefined;
  return {
    ...(hasMid ? { mid } : {}),
    codecs: [codec(payloadType)],
    headerExtensions: hasMid ? [{ uri: 'urn:ietf:params:rtp-hdrext:sdes:mid', id: midExtension }] : [],
    encodings: [ssrc === undefined ? {} : { ssrc }],
    rtcp: { reducedSize: reducedSizeRtcp },
  };
}

/** Builds the parameters of what this process sends into mediasoup for the agent. */
export function agentParameters(ssrc: number): RtpParameters {
  return { codecs: [codec(AGENT_PAYLOAD_TYPE)], encodings: [{ ssrc }] };
}

/**
 * Builds the browser's capabilities: Opus by its number, and no header extensions, whose numbers would be mediasoup's.
 */
export function browserCapabilities(payloadType: number): RtpCapabilities {
  return { codecs: [{ ...OPUS, preferredPayloadType: payloadType }], headerExtensions: [] };
}
