import type { MediaDescription } from 'sdp-transform';
import { sdpNotSupported } from './not-supported.js';

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

export interface OfferedAudio {
  /** Its place among the sections. */
  readonly index: number;
  readonly mid: string | undefined;
  /** Of Opus, as the browser numbers it. */
  readonly payloadType: number;
  readonly direction: Direction;
  /** Of the browser's stream; undefined where it does not say. */
  readonly ssrc: number | undefined;
  /** Of the header extension that carries the mid. */
  readonly midExtension: number | undefined;
  readonly reducedSizeRtcp: boolean;
}

const MID_EXTENSION = 'urn:ietf:params:rtp-hdrext:sdes:mid';
/** DTLS-SRTP with feedback (RFC 5764), and what older browsers wrote for it. */
const PROTOCOLS = new Set(['UDP/TLS/RTP/SAVPF', 'TCP/TLS/RTP/SAVPF', 'UDP/TLS/RTP/SAVP', 'RTP/SAVPF']);
const MAX_SSRC = 0xffffffff;

/** Reads the section in which the browser's voice comes and the agent's goes. */
export function readAudio(
  media: MediaDescription,
  index: number,
  sessionDirection: string | undefined,
): OfferedAudio {
  if (!PROTOCOLS.has(media.protocol)) {
    throw sdpNotSupported(`The audio is offered as ${media.protocol}. Offer it as UDP/TLS/RTP/SAVPF.`);
  }
  if (!media.rtcpMux) throw sdpNotSupported('The audio is offered without a=rtcp-mux, which is needed.');
  return {
    index,
    mid: media.mid === undefined ? undefined : String(media.mid),
    payloadType: opusPayloadType(media),
    direction: readDirection(media.direction ?? sessionDirection),
    ssrc: media.ssrcs?.map(({ id }) => Number(id)).find((id) => isInteger(id, 1, MAX_SSRC)),
    midExtension: media.ext?.find(({ uri, value }) => uri === MID_EXTENSION && isInteger(value, 1, 14))
      ?.value,
    reducedSizeRtcp: media.rtcpRsize !== undefined,
  };
}

/** Returns the first Opus of the m= line's formats. */
function opusPayloadType(media: MediaDescription): number {
  const formats = String(media.payloads ?? '').split(' ');
  const opus = media.rtp
    .filter(({ codec, rate, encoding }) => /^opus$/i.test(codec) && rate === 48_000 && encoding === 2)
    .map(({ payload }) => payload)
    .filter((payload) => isDynamic(payload) && formats.includes(String(payload)));
  const [first] = opus.sort((a, b) => formats.indexOf(String(a)) - formats.indexOf(String(b)));
  if (first === undefined) throw sdpNotSupported('The audio is offered without Opus (opus/48000/2).');
  return first;
}

function readDirection(direction: string | undefined): Direction {
  switch (direction) {
    case 'sendonly':
    case 'recvonly':
    case 'inactive':
      return direction;
    default:
      // RFC 8866, section 6.7: what is not said is both ways.
      return 'sendrecv';
  }
}

/**
 * Returns whether a codec without a number of its own may have this one, where RTCP shares the port (RFC 5761, section
 * 4).
 */
const isDynamic = (payload: number): boolean => isInteger(payload, 35, 63) || isInteger(payload, 96, 127);

const isInteger = (value: number, least: number, most: number): boolean =>
  Number.isInteger(value) && value >= least && value <= most;
