/** ITU-T G.711, mu-law and A-law (PCMU and PCMA of RFC 3551): 8 bits a sample, 8,000 Hz on the phone. */

/** The mu-law byte for a zero sample. */
export const MULAW_SILENCE = 0xff;
/** Samples (and mu-law bytes) a second on a phone line. */
export const PHONE_SAMPLE_RATE = 8000;
/** Length of a carrier's media frame in ms. */
export const FRAME_MS = 20;
/** Bytes of a 20 ms mu-law frame. */
export const FRAME_BYTES = 160;

const BIAS = 0x84;
const CLIP = 32635;

const DECODE = buildDecodeTable();
const ENCODE = buildEncodeTable();

function buildDecodeTable(): Int16Array {
  const table = new Int16Array(256);
  for (let byte = 0; byte < 256; byte++) {
    const inverted = ~byte & 0xff;
    const exponent = (inverted >> 4) & 7;
    const magnitude = (((inverted & 0x0f) << 3) + BIAS) << exponent;
    table[byte] = inverted & 0x80 ? BIAS - magnitude : magnitude - BIAS;
  }
  return table;
}

/** Builds one entry for each of the 65,536 samples, so that encoding is a single look-up. */
function buildEncodeTable(): Uint8Array {
  const table = new Uint8Array(65536);
  for (let sample = -32768; sample < 32768; sample++) {
    const sign = sample < 0 ? 0x80 : 0;
    const magnitude = Math.min(Math.abs(sample), CLIP) + BIAS;
    const exponent = 31 - Math.clz32(magnitude) - 7;
    const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
    table[sample & 0xffff] = ~(sign | (exponent << 4) | mantissa) & 0xff;
  }
  return table;
}

/** Decodes mu-law bytes into 16-bit samples; `out` must hold as many samples as there are bytes. */
export function decodeMulaw(bytes: Uint8Array, out: Int16Array = new Int16Array(bytes.length)): Int16Array {
  for (let i = 0; i < bytes.length; i++) out[i] = DECODE[bytes[i]!]!;
  return out;
}

/** Encodes 16-bit samples as mu-law; `out` must hold as many bytes as there are samples. */
export function encodeMulaw(
  samples: Int16Array,
  out: Uint8Array = new Uint8Array(samples.length),
): Uint8Array {
  for (let i = 0; i < samples.length; i++) out[i] = ENCODE[samples[i]! & 0xffff]!;
  return out;
}

/** Bits that G.711 inverts on the wire in every A-law byte. */
const ALAW_INVERTED = 0x55;

const ALAW_DECODE = buildAlawDecodeTable();
const ALAW_ENCODE = buildAlawEncodeTable();

/** Builds the table of A-law, which counts in 13 bits with sign; 16-bit samples are 8 times that. */
function buildAlawDecodeTable(): Int16Array {
  const table = new Int16Array(256);
  for (let byte = 0; byte < 256; byte++) {
    const code = byte ^ ALAW_INVERTED;
    const segment = (code >> 4) & 7;
    const mantissa = code & 0x0f;
    // The middle of the interval: half a step is 1 in the first two segments and doubles from there.
    const magnitude = segment === 0 ? 2 * mantissa + 1 : (2 * mantissa + 33) << (segment - 1);
    table[byte] = (code & 0x80 ? magnitude : -magnitude) * 8;
  }
  return table;
}

/** Builds one entry for each of the 65,536 samples. */
function buildAlawEncodeTable(): Uint8Array {
  const table = new Uint8Array(65536);
  for (let sample = -32768; sample < 32768; sample++) {
    const sign = sample >= 0 ? 0x80 : 0;
    // Decision values belong to the interval further from zero, for either sign (12 bits of magnitude).
    const magnitude = (sample >= 0 ? sample : -sample - 1) >> 4;
    const segment = magnitude < 32 ? (magnitude < 16 ? 0 : 1) : 28 - Math.clz32(magnitude);
    const mantissa = segment < 2 ? magnitude & 0x0f : (magnitude >> (segment - 1)) & 0x0f;
    table[sample & 0xffff] = (sign | (segment << 4) | mantissa) ^ ALAW_INVERTED;
  }
  return table;
}

/** Decodes A-law bytes into 16-bit samples; `out` must hold as many samples as there are bytes. */
export function decodeAlaw(bytes: Uint8Array, out: Int16Array = new Int16Array(bytes.length)): Int16Array {
  for (let i = 0; i < bytes.length; i++) out[i] = ALAW_DECODE[bytes[i]!]!;
  return out;
}

/** Encodes 16-bit samples as A-law; `out` must hold as many bytes as there are samples. */
export function encodeAlaw(
  samples: Int16Array,
  out: Uint8Array = new Uint8Array(samples.length),
): Uint8Array {
  for (let i = 0; i < samples.length; i++) out[i] = ALAW_ENCODE[samples[i]! & 0xffff]!;
  return out;
}
