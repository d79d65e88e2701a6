import fc from 'fast-check';
import { parse } from 'sdp-transform';
import { describe, expect, it } from 'vitest';
import { type AnswerParameters, writeAnswer } from './answer.js';
import { readOffer } from './offer.js';
import { noise } from './testing/noise.js';
import { CHROMIUM, FIREFOX, WERIFT } from './testing/offers.js';

const parameters: AnswerParameters = {
  sessionId: 4711,
  version: 1,
  ice: { usernameFragment: 'ufragufrag', password: 'a-password-of-enough-length' },
  candidates: [
    {
      foundation: 'udpcandidate',
      priority: 1076302079,
      address: '127.0.0.1',
      port: 40001,
      protocol: 'udp',
      type: 'host',
    },
    {
      foundation: 'tcpcandidate',
      priority: 1076276479,
      address: '127.0.0.1',
      port: 40001,
      protocol: 'tcp',
      type: 'host',
      tcpType: 'passive',
    },
  ],
  fingerprints: [{ algorithm: 'sha-256', value: 'AA:BB' }],
  stream: { ssrc: 99, cname: 'agent' },
};
const answer = (sdp: string, changes: Partial<AnswerParameters> = {}) =>
  parse(writeAnswer(readOffer(sdp), { ...parameters, ...changes }));

describe('an answer', () => {
  it('takes the audio as Opus alone, both ways, over one multiplexed ICE lite transport', () => {
    const { icelite, groups, media, origin } = answer(CHROMIUM);
    expect(icelite).toBe('ice-lite');
    expect(origin).toMatchObject({ sessionId: 4711, sessionVersion: 1 });
    expect(groups).toEqual([{ type: 'BUNDLE', mids: 0 }]);
    expect(media[0]).toMatchObject({
      type: 'audio',
      protocol: 'UDP/TLS/RTP/SAVPF',
      direction: 'sendrecv',
      rtp: [{ payload: 111, codec: 'opus', rate: 48_000, encoding: 2 }],
      fmtp: [{ payload: 111, config: 'minptime=10;useinbandfec=1;usedtx=1;stereo=0' }],
      rtcpMux: 'rtcp-mux',
      setup: 'passive',
      iceUfrag: 'ufragufrag',
      ext: [{ value: 4, uri: 'urn:ietf:params:rtp-hdrext:sdes:mid' }],
      ssrcs: [{ id: 99, attribute: 'cname', value: 'agent' }],
    });
    expect(media[0]!.port).not.toBe(0);
  });

  it('has all candidates, as none comes later', () => {
    const [audio] = answer(CHROMIUM).media;
    expect(audio!.candidates).toMatchObject([
      { transport: 'udp', ip: '127.0.0.1', port: 40001 },
      { transport: 'tcp', tcptype: 'passive' },
    ]);
    expect(audio!.endOfCandidates).toBeDefined();
  });

  it('rejects video and data channel in their places', () => {
    const { media } = answer(CHROMIUM);
    expect(media.map(({ type, port, mid }) => [type, port === 0, String(mid)])).toEqual([
      ['audio', false, '0'],
      ['video', true, '1'],
      ['application', true, '2'],
    ]);
  });

  it.each([
    [FIREFOX, 109],
    [WERIFT, 96],
  ])('numbers Opus as the offer does', (sdp, payloadType) => {
    expect(answer(sdp).media[0]!.rtp[0]!.payload).toBe(payloadType);
  });

  it.each([
    ['sendrecv', 'sendrecv'],
    ['sendonly', 'recvonly'],
    ['recvonly', 'sendonly'],
    ['inactive', 'inactive'],
  ])('answers %s with %s', (offered, answered) => {
    expect(answer(WERIFT.replace('a=sendrecv', `a=${offered}`)).media[0]!.direction).toBe(answered);
  });

  it('begins the handshake where the browser waits for it', () => {
    expect(answer(WERIFT.replace('actpass', 'passive')).media[0]!.setup).toBe('active');
  });

  it('counts its versions up', () => {
    expect(answer(CHROMIUM, { version: 7 }).origin.sessionVersion).toBe(7);
  });

  it('to any offer that was read has as many sections, and lines of SDP only', () => {
    fc.assert(
      fc.property(fc.constantFrom(CHROMIUM, FIREFOX, WERIFT), fc.nat(3000), noise(8), (sdp, at, text) => {
        const mangled = sdp.slice(0, at) + text + sdp.slice(at);
        let offer: ReturnType<typeof readOffer>;
        try {
          offer = readOffer(mangled);
        } catch {
          return;
        }
        const written = writeAnswer(offer, parameters);
        expect(parse(written).media).toHaveLength(offer.sections.length);
        expect(written).toMatch(/^([a-z]=[\x20-\x7e]+\r\n)+$/);
      }),
      { numRuns: 200 },
    );
  });
});
