const HEADER_BYTES = 12;

/** Builds a packet as of RFC 3550, section 5.1, without extension, CSRC or padding. */
export function rtpPacket(packet: {
  readonly payloadType: number;
  readonly ssrc: number;
  readonly sequenceNumber: number;
  readonly timestamp: number;
  readonly payload: Uint8Array;
}): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + packet.payload.length);
  bytes[0] = 2 << 6;
  bytes[1] = packet.payloadType;
  bytes.writeUInt16BE(packet.sequenceNumber & 0xffff, 2);
  bytes.writeUInt32BE(packet.timestamp >>> 0, 4);
  bytes.writeUInt32BE(packet.ssrc >>> 0, 8);
  bytes.set(packet.payload, HEADER_BYTES);
  return bytes;
}

/** Returns the payload of a packet, past CSRCs and a header extension. */
export function rtpPayload(packet: Uint8Array): Buffer {
  const bytes = Buffer.from(packet);
  const extensionAt = HEADER_BYTES + (bytes[0]! & 0x0f) * 4;
  const hasExtension = (bytes[0]! & 0x10) !== 0;
  const extensionBytes = hasExtension ? 4 + bytes.readUInt16BE(extensionAt + 2) * 4 : 0;
  return bytes.subarray(extensionAt + extensionBytes);
}
