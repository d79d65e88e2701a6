import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildRtp } from './rtp.js';
import { randomNumbers, receive, sentPackets, type TimedPacket } from './testing/network.js';
import { speechLike } from './testing/speech-like.js';

const RATE = 16_000;
const SECONDS = 3;
const sent = sentPackets(speechLike(SECONDS, RATE), RATE);

const networks = fc.record({
  seed: fc.nat(100_000),
  loss: fc.double({ min: 0, max: 0.6, noNaN: true }),
  burst: fc.integer({ min: 1, max: 8 }),
  jitterMs: fc.integer({ min: 0, max: 400 }),
  duplicates: fc.double({ min: 0, max: 0.5, noNaN: true }),
  stallAt: fc.integer({ min: 0, max: SECONDS * 1000 }),
  stallMs: fc.integer({ min: 0, max: 2500 }),
});
type Network = typeof networks extends fc.Arbitrary<infer T> ? T : never;

function through(network: Network): TimedPacket[] {
  const random = randomNumbers(network.seed);
  const arrivals: TimedPacket[] = [];
  let losing = 0;
  for (const { at, bytes } of sent) {
    if (losing === 0 && random() < network.loss / network.burst) losing = network.burst;
    if (losing > 0) {
      losing--;
      continue;
    }
    const isStalled = at >= network.stallAt && at < network.stallAt + network.stallMs;
    const arrival = (isStalled ? network.stallAt + network.stallMs : at) + network.jitterMs * random();
    arrivals.push({ at: arrival, bytes });
    if (random() < network.duplicates) arrivals.push({ at: arrival + 100 * random(), bytes });
  }
  return arrivals;
}

/** Frames are due every 20 ms from the first on, whatever comes when. */
function expectSteady(heard: ReturnType<typeof receive>): void {
  const [first = 0] = heard.frameTimes;
  for (const [n, at] of heard.frameTimes.entries()) {
    expect(at).toBe(first + n * 20);
    expect(heard.positions[n]).toBe(n * 20);
  }
}

describe('incoming audio over any network', () => {
  it('comes 50 times a second, counts what was lost, and holds back no more than its bound', () => {
    fc.assert(
      fc.property(networks, (network) => {
        const arrivals = through(network);
        const heard = receive(arrivals, RATE, SECONDS * 1000);
        expectSteady(heard);
        expect(Math.max(0, ...heard.bufferMs)).toBeLessThanOrEqual(3500);
        const unique = new Set(arrivals.filter(({ at }) => at <= SECONDS * 1000).map(({ bytes }) => bytes))
          .size;
        expect(heard.statistics.packetsReceived).toBeLessThanOrEqual(unique);
        expect(heard.statistics.packetsReceived + heard.statistics.packetsLost).toBeLessThanOrEqual(
          sent.length,
        );
        expect(heard.statistics.concealed).toBe(heard.concealed.filter(Boolean).length);
      }),
      { numRuns: 25 },
    );
  });

  it('survives whatever packets an enemy sends, in bounded memory', () => {
    const step = fc.record({
      waitMs: fc.integer({ min: 0, max: 60 }),
      ssrc: fc.integer({ min: 1, max: 2 }),
      sequenceNumber: fc.integer({ min: 0, max: 0xffff }),
      timestamp: fc.oneof(fc.integer({ min: 0, max: 200_000 }), fc.integer({ min: 0, max: 0xffff_ffff })),
      payload: fc.uint8Array({ maxLength: 60 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        let at = 0;
        const arrivals = steps.map(({ waitMs, ...fields }) => {
          at += waitMs;
          return { at, bytes: buildRtp({ ...fields, marker: false, payloadType: 111 }) };
        });
        expectSteady(receive(arrivals, RATE, at + 200));
      }),
      { numRuns: 40 },
    );
    const bytes = (sequenceNumber: number) =>
      buildRtp({
        marker: false,
        payloadType: 111,
        sequenceNumber,
        timestamp: sequenceNumber * 120,
        ssrc: 1,
        payload: Uint8Array.of(16 << 3, ...randomBytes(4)),
      });
    // All of 160 s within one: the frames come as ever.
    const flood = Array.from({ length: 20_000 }, (_, n) => ({ at: n / 20, bytes: bytes(n) }));
    expectSteady(receive(flood, RATE, 1500));
  });
});
