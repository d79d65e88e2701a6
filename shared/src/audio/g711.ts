/** G.711 mu-law (ITU-T G.711, PCMU of RFC 3551): 8 bits a sample, 8,000 Hz on the phone. */

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

/** One entry for each of the 65,536 samples, so that encoding is a single look-up. */
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
