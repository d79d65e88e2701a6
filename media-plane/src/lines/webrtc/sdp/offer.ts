import { type MediaDescription, parse, type SessionDescription } from 'sdp-transform';
import { sdpNotSupported } from './not-supported.js';
import { type OfferedAudio, readAudio } from './offered-audio.js';
import { type OfferedTransport, readTransport } from './offered-transport.js';

/** One m= section as far as an answer must mirror it. */
export interface OfferedSection {
  readonly kind: string;
  readonly protocol: string;
  /** The first format of the m= line; a rejected section must name one. */
  readonly format: string;
  readonly mid: string | undefined;
}

/** What a browser offers, checked: everything that an answer and mediasoup need. */
export interface Offer {
  readonly sections: readonly OfferedSection[];
  readonly audio: OfferedAudio;
  /** Whether the audio's section is in the BUNDLE group. */
  readonly isBundled: boolean;
  readonly transport: OfferedTransport;
}

/** As the contract has it, in characters. */
const MAX_LENGTH = 64_000;
const MAX_SECTIONS = 32;
/** RFC 8866, section 9: what a kind, a mid and a format may be made of. */
const TOKEN = /^[!#$%&'*+.^_`{|}~\w-]{1,64}$/;
const PROTOCOL = /^[A-Za-z0-9/]{1,32}$/;

/**
 * Reads a browser's offer.
 * @throws ServiceError 422 `sdp_not_supported` that says what is wrong with it
 */
export function readOffer(sdp: string): Offer {
  const session = parseSdp(sdp);
  const sections = session.media.map(readSection);
  const index = session.media.findIndex(isLiveAudio);
  if (index < 0) throw sdpNotSupported('The offer has no audio section. Add an audio track or transceiver.');
  const media = session.media[index]!;
  const audio = readAudio(media, index, session.direction);
  const bundle = session.groups?.find(({ type }) => type === 'BUNDLE');
  // The parser makes numbers of what looks like one, whatever its types say.
  const mids = String(bundle?.mids ?? '').split(' ');
  return {
    sections,
    audio,
    isBundled: audio.mid !== undefined && mids.includes(audio.mid),
    transport: readTransport(session, media),
  };
}

function parseSdp(sdp: string): SessionDescription {
  if (sdp.length > MAX_LENGTH) throw sdpNotSupported(`The offer is over ${MAX_LENGTH} characters.`);
  if (!/^v=0\r?\n/.test(sdp)) throw sdpNotSupported('The offer is not SDP: it must begin with "v=0".');
  let session: SessionDescription;
  try {
    session = parse(sdp);
  } catch (cause) {
    throw sdpNotSupported('The offer is not SDP.', cause);
  }
  if (session.media.length > MAX_SECTIONS) {
    throw sdpNotSupported(`The offer has ${session.media.length} sections, ${MAX_SECTIONS} are allowed.`);
  }
  return session;
}

function readSection(media: MediaDescription, index: number): OfferedSection {
  const mid = media.mid === undefined ? undefined : String(media.mid);
  const format = String(media.payloads ?? '').split(' ')[0] ?? '';
  const { type: kind, protocol } = media;
  if (!TOKEN.test(kind ?? '') || !PROTOCOL.test(protocol ?? '') || !TOKEN.test(format)) {
    throw sdpNotSupported(`The m= line of section ${index} is not SDP.`);
  }
  if (mid !== undefined && !TOKEN.test(mid))
    throw sdpNotSupported(`The mid of section ${index} is no token.`);
  return { kind, protocol, format, mid };
}

/** Returns whether a section is live audio. Port 0 rejects one, except where it lives on another's transport. */
function isLiveAudio({ type, port, bundleOnly }: MediaDescription): boolean {
  return type === 'audio' && (port !== 0 || bundleOnly !== undefined);
}
