import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  /** PEM. */
  readonly key: string;
  /** PEM; also the authority that a client must know. */
  readonly cert: string;
}

const DAY_MS = 86_400_000;

/** Creates a certificate for loopback (RFC 5280), good for a day: Node makes keys, and no certificates. */
export function selfSigned(now = Date.now()): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid([42, 134, 72, 206, 61, 4, 3, 2])); // ecdsa-with-SHA256
  const commonName = sequence(oid([85, 4, 3]), der(0x0c, Buffer.from('loopback')));
  const name = sequence(der(0x31, commonName));
  const alternativeNames = sequence(
    der(0x82, Buffer.from('localhost')), // dNSName
    der(0x87, Buffer.from([127, 0, 0, 1])), // iPAddress
  );
  const extension = sequence(oid([85, 29, 17]), der(0x04, alternativeNames));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(time(now - DAY_MS), time(now + DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, algorithm, der(0x03, Buffer.from([0]), signature));
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

/** Encodes a value by the distinguished encoding rules (X.690): tag, length, contents. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const contents = Buffer.concat(parts);
  const { length } = contents;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), contents]);
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const oid = (bytes: readonly number[]) => der(0x06, Buffer.from(bytes));

function time(ms: number): Buffer {
  const [date = ''] = new Date(ms).toISOString().slice(2).replace(/[-:T]/g, '').split('.');
  return der(0x17, Buffer.from(`${date}Z`));
}
