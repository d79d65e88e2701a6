import { ServiceError } from '@voice/shared/errors/service-error';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readOffer } from './offer.js';
import { noise } from './testing/noise.js';
import { CHROMIUM, FIREFOX, WERIFT } from './testing/offers.js';

describe('an offer', () => {
  it('of Chromium is read', () => {
    const offer = readOffer(CHROMIUM);
    expect(offer.audio).toEqual({
      index: 0,
      mid: '0',
      payloadType: 111,
      direction: 'sendrecv',
      ssrc: 1312502276,
      midExtension: 4,
      reducedSizeRtcp: true,
    });
    expect(offer.isBundled).toBe(true);
    expect(offer.sections.map(({ kind, format }) => `${kind} ${format}`)).toEqual([
      'audio 111',
      'video 96',
      'application webrtc-datachannel',
    ]);
    expect(offer.transport).toEqual({
      iceUfrag: 'gRHh',
      icePassword: 'DU357/ew9lrKt5OK+IITfCoo',
      fingerprint: { algorithm: 'sha-256', value: expect.stringMatching(/^FF:87:/) },
      dtlsRole: 'client',
    });
  });

  it('of Firefox is read: its fingerprint is the session’s, its Opus is 109', () => {
    const offer = readOffer(FIREFOX);
    expect(offer.audio).toMatchObject({ payloadType: 109, ssrc: 2655508255, midExtension: 3 });
    expect(offer.transport.fingerprint.value).toMatch(/^FF:87:/);
  });

  it('of werift is read: no header extensions, the codec in capitals', () => {
    expect(readOffer(WERIFT).audio).toMatchObject({ payloadType: 96, midExtension: undefined });
  });

  it('may have its audio behind a video section, on that one’s transport', () => {
    const [session, audio, video] = CHROMIUM.split(/(?=m=)/);
    const bundled = audio!.replace('m=audio 9', 'm=audio 0').replace('a=mid:0', 'a=mid:0\r\na=bundle-only');
    expect(readOffer(session! + video! + bundled).audio).toMatchObject({ index: 1, payloadType: 111 });
  });

  it('may be of the DTLS server', () => {
    expect(readOffer(FIREFOX.replace('actpass', 'passive')).transport.dtlsRole).toBe('server');
  });
});

describe('an offer is refused with its reason,', () => {
  it.each<[string, string, RegExp]>([
    ['that is garbage', 'hello', /not SDP: it must begin with "v=0"/],
    ['that is too long', CHROMIUM + 'a=x\r\n'.repeat(16_000), /over 64000 characters/],
    ['without audio', FIREFOX.replace('m=audio', 'm=video'), /no audio section/],
    ['whose audio is rejected', FIREFOX.replace('m=audio 9', 'm=audio 0'), /no audio section/],
    ['without Opus', FIREFOX.replace('opus/48000/2', 'speex/16000'), /without Opus/],
    ['whose Opus has RTCP’s numbers', FIREFOX.replaceAll('109', '72'), /without Opus/],
    ['whose Opus is not among the formats', FIREFOX.replace('SAVPF 109', 'SAVPF'), /without Opus/],
    ['without a fingerprint', FIREFOX.replace(/a=fingerprint.*\r\n/, ''), /no DTLS fingerprint/],
    ['with half a fingerprint', FIREFOX.replace('FF:87:', ''), /has not the length/],
    ['with an unknown fingerprint', FIREFOX.replace('sha-256', 'md5'), /not one of sha-256/],
    ['of plain RTP', FIREFOX.replace('UDP/TLS/RTP/SAVPF', 'RTP/AVP'), /offered as RTP\/AVP. Offer it as UDP/],
    ['without rtcp-mux', FIREFOX.replace('a=rtcp-mux\r\n', ''), /without a=rtcp-mux/],
    ['without ICE', FIREFOX.replace(/a=ice-ufrag.*\r\n/, ''), /no a=ice-ufrag/],
    ['of an ICE lite agent', FIREFOX.replace('a=group', 'a=ice-lite\r\na=group'), /a=ice-lite/],
    ['without a DTLS role', FIREFOX.replace('a=setup:actpass\r\n', ''), /a=setup:actpass/],
    ['with a mid that is no token', FIREFOX.replace('a=mid:0', 'a=mid:"0"'), /mid of section 0/],
    ['with 40 sections', FIREFOX + 'm=video 0 UDP/TLS/RTP/SAVPF 96\r\n'.repeat(40), /41 sections, 32/],
  ])('%s', (_what, sdp, reason) => {
    expect(() => readOffer(sdp)).toThrow(
      expect.objectContaining({
        code: 'sdp_not_supported',
        status: 422,
        message: expect.stringMatching(reason),
      }),
    );
  });
});

/** Lines of real offers, kept, dropped, doubled, cut and mixed with noise. */
const mangledOffer = fc
  .array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom(...[CHROMIUM, FIREFOX, WERIFT].flatMap((sdp) => sdp.split('\r\n'))),
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom(...CHROMIUM.split('\r\n')), fc.nat(60), noise(20))
          .map(([line, at, noise]) => line.slice(0, at) + noise + line.slice(at)),
      },
      { weight: 1, arbitrary: noise(20) },
    ),
    { maxLength: 80 },
  )
  .map((lines) => ['v=0', ...lines].join('\r\n'));

describe('any text', () => {
  it.each([
    ['of mangled offers', mangledOffer],
    ['at all', noise(300)],
  ])('%s is read or refused by its typed error', (_what, text) => {
    fc.assert(
      fc.property(text, (sdp) => {
        try {
          readOffer(sdp);
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
          expect((error as ServiceError).code).toBe('sdp_not_supported');
        }
      }),
      { numRuns: 200 },
    );
  });
});
