import type { Offer, OfferedSection } from './offer.js';
import type { Direction } from './offered-audio.js';

/** What an answer says of this side. */
export interface AnswerParameters {
  /** Of the o= line: the same over all answers of a connection. */
  readonly sessionId: number;
  /** Of the o= line: one more with every answer. */
  readonly version: number;
  readonly ice: { readonly usernameFragment: string; readonly password: string };
  readonly candidates: readonly AnswerCandidate[];
  readonly fingerprints: readonly { readonly algorithm: string; readonly value: string }[];
  /** The agent's stream; undefined where the browser does not take one. */
  readonly stream: { readonly ssrc: number; readonly cname: string } | undefined;
}

interface AnswerCandidate {
  readonly foundation: string;
  readonly priority: number;
  readonly address: string;
  readonly port: number;
  readonly protocol: 'udp' | 'tcp';
  readonly type: string;
  readonly tcpType?: string | undefined;
}

/**
 * Writes the answer to an offer: its audio taken, every other section rejected, all candidates at once (ICE lite:
 * there are no others).
 */
export function writeAnswer(offer: Offer, parameters: AnswerParameters): string {
  const { audio, isBundled } = offer;
  const lines = [
    'v=0',
    `o=- ${parameters.sessionId} ${parameters.version} IN IP4 0.0.0.0`,
    's=-',
    't=0 0',
    'a=ice-lite',
    ...(isBundled ? [`a=group:BUNDLE ${audio.mid}`] : []),
    'a=msid-semantic: WMS *',
    ...offer.sections.flatMap((section, index) =>
      index === audio.index ? audioSection(offer, parameters) : rejected(section),
    ),
  ];
  return `${lines.join('\r\n')}\r\n`;
}

/** Reverses a direction as the other side sees it (RFC 3264, section 6). */
function answeredDirection(direction: Direction): Direction {
  switch (direction) {
    case 'sendonly':
      return 'recvonly';
    case 'recvonly':
      return 'sendonly';
    case 'sendrecv':
    case 'inactive':
      return direction;
  }
}

function audioSection({ sections, audio, transport }: Offer, parameters: AnswerParameters): string[] {
  const { ice, candidates, fingerprints, stream } = parameters;
  const { payloadType, midExtension, mid } = audio;
  return [
    `m=audio 9 ${sections[audio.index]!.protocol} ${payloadType}`,
    'c=IN IP4 0.0.0.0',
    'a=rtcp:9 IN IP4 0.0.0.0',
    ...(mid === undefined ? [] : [`a=mid:${mid}`]),
    `a=ice-ufrag:${ice.usernameFragment}`,
    `a=ice-pwd:${ice.password}`,
    ...fingerprints.map(({ algorithm, value }) => `a=fingerprint:${algorithm} ${value}`),
    `a=setup:${transport.dtlsRole === 'client' ? 'passive' : 'active'}`,
    `a=${answeredDirection(audio.direction)}`,
    'a=rtcp-mux',
    ...(audio.reducedSizeRtcp ? ['a=rtcp-rsize'] : []),
    `a=rtpmap:${payloadType} opus/48000/2`,
    // What we want to get: mono, with in-band FEC, and nothing while nobody speaks (RFC 7587, section 6.1).
    `a=fmtp:${payloadType} minptime=10;useinbandfec=1;usedtx=1;stereo=0`,
    'a=ptime:20',
    ...(midExtension === undefined ? [] : [`a=extmap:${midExtension} urn:ietf:params:rtp-hdrext:sdes:mid`]),
    ...(stream ? [`a=msid:agent voice`, `a=ssrc:${stream.ssrc} cname:${stream.cname}`] : []),
    ...candidates.map(candidateLine),
    'a=end-of-candidates',
  ];
}

function candidateLine({ foundation, protocol, priority, address, port, type, tcpType }: AnswerCandidate) {
  const tcp = tcpType === undefined ? '' : ` tcptype ${tcpType}`;
  return `a=candidate:${foundation} 1 ${protocol} ${priority} ${address} ${port} typ ${type}${tcp}`;
}

function rejected({ kind, protocol, format, mid }: OfferedSection): string[] {
  return [
    `m=${kind} 0 ${protocol} ${format}`,
    'c=IN IP4 0.0.0.0',
    ...(mid === undefined ? [] : [`a=mid:${mid}`]),
    'a=inactive',
  ];
}
