/** RTP packets (RFC 3550, section 5.1). Pure; sequence numbers and timestamps are as on the wire, not unwrapped. */

const VERSION = 2;
const FIXED_HEADER_BYTES = 12;
const MAX_CSRCS = 15;

/** A header extension (RFC 3550, section 5.3.1); its length is a multiple of four bytes. */
interface RtpExtension {
  /** 0xBEDE for the one-byte elements of RFC 8285. */
  readonly profile: number;
  readonly data: Uint8Array;
}

export interface RtpPacket {
  readonly marker: boolean;
  /** 0..127 */
  readonly payloadType: number;
  /** 16 bits, wraps. */
  readonly sequenceNumber: number;
  /** 32 bits, wraps; ticks of the payload's clock (Opus: 48 kHz, whatever the audio's bandwidth). */
  readonly timestamp: number;
  readonly ssrc: number;
  readonly csrcs: readonly number[];
  readonly extension: RtpExtension | null;
  /** Without the padding. A view of the packet's memory when parsed. */
  readonly payload: Uint8Array;
  /** Bytes of padding at the end, the count itself included; 0 for none, at most 255. */
  readonly paddingBytes: number;
}

const NO_CSRCS: readonly number[] = [];

/** Parses one packet; null for what is no well-formed RTP packet. The result shares the packet's memory. */
export function parseRtp(packet: Uint8Array): RtpPacket | null {
  if (packet.length < FIXED_HEADER_BYTES) return null;
  const first = packet[0]!;
  if (first >> 6 !== VERSION) return null;
  const csrcCount = first & 0x0f;
  let offset = FIXED_HEADER_BYTES + 4 * csrcCount;
  if (packet.length < offset) return null;

  let extension: RtpExtension | null = null;
  if (first & 0x10) {
    if (packet.length < offset + 4) return null;
    const end = offset + 4 + 4 * uint16(packet, offset + 2);
    if (packet.length < end) return null;
    extension = { profile: uint16(packet, offset), data: packet.subarray(offset + 4, end) };
    offset = end;
  }
  let paddingBytes = 0;
  if (first & 0x20) {
    paddingBytes = packet[packet.length - 1]!;
    if (paddingBytes === 0 || paddingBytes > packet.length - offset) return null;
  }
  return {
    marker: packet[1]! >= 0x80,
    payloadType: packet[1]! & 0x7f,
    sequenceNumber: uint16(packet, 2),
    timestamp: uint32(packet, 4),
    ssrc: uint32(packet, 8),
    csrcs:
      csrcCount === 0
        ? NO_CSRCS
        : Array.from({ length: csrcCount }, (_, n) => uint32(packet, FIXED_HEADER_BYTES + 4 * n)),
    extension,
    payload: packet.subarray(offset, packet.length - paddingBytes),
    paddingBytes,
  };
}

export type RtpPacketFields = Omit<RtpPacket, 'csrcs' | 'extension' | 'paddingBytes'> &
  Partial<Pick<RtpPacket, 'csrcs' | 'extension' | 'paddingBytes'>>;

/** Builds one packet in new memory. Throws `RangeError` for fields that the header has no room for. */
export function buildRtp(fields: RtpPacketFields): Uint8Array {
  const { csrcs = NO_CSRCS, extension = null, payload, paddingBytes = 0 } = fields;
  if (csrcs.length > MAX_CSRCS) throw new RangeError(`RTP: at most ${MAX_CSRCS} CSRCs, not ${csrcs.length}`);
  if (extension && extension.data.length % 4 !== 0) {
    throw new RangeError(`RTP: an extension is whole words of 4 bytes, not ${extension.data.length} bytes`);
  }
  if (paddingBytes > 255) throw new RangeError(`RTP: at most 255 bytes of padding, not ${paddingBytes}`);
  const payloadAt = FIXED_HEADER_BYTES + 4 * csrcs.length + (extension ? 4 + extension.data.length : 0);
  const packet = new Uint8Array(payloadAt + payload.length + paddingBytes);
  packet[0] = (VERSION << 6) | (paddingBytes > 0 ? 0x20 : 0) | (extension ? 0x10 : 0) | csrcs.length;
  packet[1] = (fields.marker ? 0x80 : 0) | (fields.payloadType & 0x7f);
  putUint16(packet, 2, fields.sequenceNumber);
  putUint32(packet, 4, fields.timestamp);
  putUint32(packet, 8, fields.ssrc);
  for (let n = 0; n < csrcs.length; n++) putUint32(packet, FIXED_HEADER_BYTES + 4 * n, csrcs[n]!);
  if (extension) {
    const at = FIXED_HEADER_BYTES + 4 * csrcs.length;
    putUint16(packet, at, extension.profile);
    putUint16(packet, at + 2, extension.data.length / 4);
    packet.set(extension.data, at + 4);
  }
  packet.set(payload, payloadAt);
  if (paddingBytes > 0) packet[packet.length - 1] = paddingBytes;
  return packet;
}

/**
 * Finds the number of unlimited range nearest to `reference` that is `wrapped` modulo 2^bits: sequence numbers and
 * timestamps go on counting over their wrap.
 */
export function unwrap(wrapped: number, reference: number, bits: 16 | 32): number {
  const range = 2 ** bits;
  const difference = (((wrapped - reference) % range) + range) % range;
  return reference + (difference >= range / 2 ? difference - range : difference);
}

function uint16(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!;
}

function uint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

function putUint16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 8;
  bytes[at + 1] = value;
}

function putUint32(bytes: Uint8Array, at: number, value: number): void {
  putUint16(bytes, at, value >>> 16);
  putUint16(bytes, at + 2, value);
}
