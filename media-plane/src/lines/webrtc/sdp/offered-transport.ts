import type { MediaDescription, SessionDescription } from 'sdp-transform';
import { sdpNotSupported } from './not-supported.js';

const FINGERPRINT_BYTES = {
  'sha-256': 32,
  'sha-384': 48,
  'sha-512': 64,
  'sha-224': 28,
  'sha-1': 20,
} as const;
type FingerprintAlgorithm = keyof typeof FINGERPRINT_BYTES;

/** The browser's side of ICE and DTLS. */
export interface OfferedTransport {
  /** New ones ask for an ICE restart. */
  readonly iceUfrag: string;
  readonly icePassword: string;
  readonly fingerprint: { readonly algorithm: FingerprintAlgorithm; readonly value: string };
  /** Who begins the DTLS handshake: the browser, where it leaves the choice. */
  readonly dtlsRole: 'client' | 'server';
}

/** RFC 8839, section 5.4. */
const UFRAG = /^[A-Za-z0-9+/]{4,256}$/;
const PASSWORD = /^[A-Za-z0-9+/]{22,256}$/;

/** Reads ICE and DTLS parameters; those of the section come before the session's. */
export function readTransport(session: SessionDescription, media: MediaDescription): OfferedTransport {
  if (session.icelite !== undefined) {
    throw sdpNotSupported(
      'The offer says a=ice-lite, as this server does: one side must be a full ICE agent.',
    );
  }
  const iceUfrag = String(media.iceUfrag ?? session.iceUfrag ?? '');
  const icePassword = String(media.icePwd ?? session.icePwd ?? '');
  if (!UFRAG.test(iceUfrag) || !PASSWORD.test(icePassword)) {
    throw sdpNotSupported('The offer has no a=ice-ufrag and a=ice-pwd as ICE has them.');
  }
  return {
    iceUfrag,
    icePassword,
    fingerprint: readFingerprint(media.fingerprint ?? session.fingerprint),
    dtlsRole: readRole(media.setup ?? session.setup),
  };
}

function readFingerprint(given: { type: string; hash: string } | undefined): OfferedTransport['fingerprint'] {
  if (!given)
    throw sdpNotSupported('The offer has no DTLS fingerprint (a=fingerprint); plain RTP is refused.');
  const algorithm = String(given.type).toLowerCase();
  const value = String(given.hash).trim().toUpperCase();
  if (!isKnown(algorithm)) {
    const known = Object.keys(FINGERPRINT_BYTES).join(', ');
    throw sdpNotSupported(`The DTLS fingerprint's algorithm is not one of ${known}.`);
  }
  const bytes = value.split(':');
  if (bytes.length !== FINGERPRINT_BYTES[algorithm] || !bytes.every((byte) => /^[0-9A-F]{2}$/.test(byte))) {
    throw sdpNotSupported('The DTLS fingerprint (a=fingerprint) has not the length of its algorithm.');
  }
  return { algorithm, value };
}

const isKnown = (algorithm: string): algorithm is FingerprintAlgorithm =>
  Object.hasOwn(FINGERPRINT_BYTES, algorithm);

function readRole(setup: string | undefined): 'client' | 'server' {
  switch (setup) {
    case 'actpass':
    case 'active':
      return 'client';
    case 'passive':
      return 'server';
    default:
      throw sdpNotSupported('The offer must say a=setup:actpass (or active, or passive).');
  }
}
