import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildRtp, parseRtp, type RtpPacket, unwrap } from './rtp.js';

const uint32 = fc.integer({ min: 0, max: 0xffff_ffff });
const packets: fc.Arbitrary<RtpPacket> = fc.record({
  marker: fc.boolean(),
  payloadType: fc.integer({ min: 0, max: 127 }),
  sequenceNumber: fc.integer({ min: 0, max: 0xffff }),
  timestamp: uint32,
  ssrc: uint32,
  csrcs: fc.array(uint32, { maxLength: 15 }),
  extension: fc.option(
    fc.record({
      profile: fc.integer({ min: 0, max: 0xffff }),
      data: fc
        .uint8Array({ maxLength: 80 })
        .map((bytes) => bytes.slice(0, bytes.length - (bytes.length % 4))),
    }),
  ),
  payload: fc.uint8Array({ maxLength: 200 }),
  paddingBytes: fc.integer({ min: 0, max: 255 }),
});

/**
 * RFC 3550's picture of a header, filled by hand: version 2, marker, type 111, number 0x1234, one CSRC, one word of
 * extension, 2 of padding.
 */
const BY_HAND = Uint8Array.from([
  0xb1, 0xef, 0x12, 0x34, 0, 0, 0x03, 0xc0, 0xde, 0xad, 0xbe, 0xef, 0, 0, 0, 7, 0xbe, 0xde, 0, 1, 0x10, 0xff,
  0, 0, 0x78, 0x01, 0, 2,
]);

describe('RTP packets', () => {
  it('are read as RFC 3550 draws them', () => {
    expect(parseRtp(BY_HAND)).toEqual({
      marker: true,
      payloadType: 111,
      sequenceNumber: 0x1234,
      timestamp: 960,
      ssrc: 0xdeadbeef,
      csrcs: [7],
      extension: { profile: 0xbede, data: Uint8Array.of(0x10, 0xff, 0, 0) },
      payload: Uint8Array.of(0x78, 0x01),
      paddingBytes: 2,
    });
  });

  it('come back from the wire as they were built', () => {
    fc.assert(
      fc.property(packets, (packet) => {
        expect(parseRtp(buildRtp(packet))).toEqual(packet);
      }),
    );
  });

  it('are refused when a length inside points beyond the end, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), fc.boolean(), (bytes, asVersion2) => {
        if (asVersion2 && bytes.length > 0) bytes[0] = 0x80 | (bytes[0]! & 0x3f);
        const packet = parseRtp(bytes);
        if (packet) expect(buildRtp(packet).length).toBe(bytes.length);
      }),
    );
    for (let length = 0; length < BY_HAND.length; length++) {
      const cut = BY_HAND.slice(0, length);
      const packet = parseRtp(cut);
      // Cut within the payload, its last byte is read as the padding's length.
      if (packet) expect(length).toBeGreaterThan(24);
    }
  });

  it('are not built with fields that the header has no room for', () => {
    const fields = { marker: false, payloadType: 0, sequenceNumber: 0, timestamp: 0, ssrc: 0 };
    const payload = new Uint8Array(1);
    expect(() => buildRtp({ ...fields, payload, csrcs: Array(16).fill(0) })).toThrow(RangeError);
    expect(() => buildRtp({ ...fields, payload, paddingBytes: 256 })).toThrow(RangeError);
    const extension = { profile: 0xbede, data: new Uint8Array(3) };
    expect(() => buildRtp({ ...fields, payload, extension })).toThrow(RangeError);
  });
});

describe('unwrapping', () => {
  it('goes on counting over the wrap, in both directions', () => {
    expect(unwrap(2, 65_534, 16)).toBe(65_538);
    expect(unwrap(65_534, 65_538, 16)).toBe(65_534);
    expect(unwrap(5, 2 ** 32 - 5, 32)).toBe(2 ** 32 + 5);
  });

  it('finds every number that is nearer than half the range', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 40), fc.integer({ min: -32_768, max: 32_767 }), (reference, distance) => {
        const value = reference + distance;
        fc.pre(value >= 0);
        expect(unwrap(value % 65_536, reference, 16)).toBe(value);
      }),
    );
  });
});
