/**
 * What an Opus packet (RFC 6716, section 3) says of itself without being decoded, and packets made from it that
 * ask the decoder for more than its binding offers: concealment and in-band forward error correction.
 */

/** RTP's clock for Opus (RFC 7587): 48 kHz, whatever the audio's bandwidth. */
export const OPUS_CLOCK_KHZ = 48;
/** RFC 6716, section 3.4: no packet holds more, in ms. */
const MAX_PACKET_MS = 120;
/** Up to this many bytes a payload is the sender's discontinuous transmission: no sound, only "still there". */
const MAX_DTX_BYTES = 2;

type OpusMode = 'silk' | 'hybrid' | 'celt';

export interface OpusPacketInfo {
  readonly mode: OpusMode;
  /** 0..31, the table of RFC 6716, section 3.1. */
  readonly config: number;
  readonly stereo: boolean;
  /** Of one frame, in ms. */
  readonly frameMs: number;
  /** Of the whole packet, in ms: a multiple of 2.5, at most 120. */
  readonly durationMs: number;
  /** The sender has gone silent. */
  readonly isDtx: boolean;
}

const SILK_FRAME_MS = [10, 20, 40, 60] as const;
const CELT_FRAME_MS = [2.5, 5, 10, 20] as const;

function modeOf(config: number): OpusMode {
  return config < 12 ? 'silk' : config < 16 ? 'hybrid' : 'celt';
}

function frameMsOf(config: number): number {
  switch (modeOf(config)) {
    case 'silk':
      return SILK_FRAME_MS[config & 3]!;
    case 'hybrid':
      return config & 1 ? 20 : 10;
    case 'celt':
      return CELT_FRAME_MS[config & 3]!;
  }
}

/** Reads a payload's first bytes; null for what can be no Opus packet. */
export function describeOpusPacket(payload: Uint8Array): OpusPacketInfo | null {
  if (payload.length === 0) return null;
  const toc = payload[0]!;
  const config = toc >> 3;
  const frameMs = frameMsOf(config);
  const code = toc & 3;
  let frames = code === 0 ? 1 : 2;
  if (code === 3) {
    if (payload.length < 2) return null;
    frames = payload[1]! & 0x3f;
  }
  const durationMs = frames * frameMs;
  if (frames === 0 || durationMs > MAX_PACKET_MS) return null;
  const stereo = (toc & 4) !== 0;
  const isDtx = payload.length <= MAX_DTX_BYTES && code !== 3;
  return { mode: modeOf(config), config, stereo, frameMs, durationMs, isDtx };
}

/**
 * Builds a packet by which the decoder conceals 10 or 20 ms (with an empty frame it does what it does for a lost one:
 * repeats the pitch, fades, and joins smoothly; in the sender's silence: comfort noise). The decoder goes by the mode
 * it was in, so the packet only says how long.
 */
export function concealmentPacket(last: OpusPacketInfo, durationMs: 10 | 20): Uint8Array {
  const longer = durationMs === 20 ? 1 : 0;
  const config =
    last.mode === 'silk'
      ? (last.config & ~3) | longer
      : last.mode === 'hybrid'
        ? (last.config & ~1) | longer
        : (last.config & ~3) | (2 + longer);
  return Uint8Array.of((config << 3) | (last.stereo ? 4 : 0));
}

/** Wide-band SILK's first configuration; hybrid's SILK layer is the same, four further on. */
const WIDE_BAND = 8;

/**
 * Builds the packet that decodes to what was lost right before `payload`, out of the redundancy that the sender put
 * into `payload` (LBRR: RFC 6716, section 4.2.3); null where there is none that can be used.
 *
 * The binding has no `decode_fec`. But the redundant frame comes first in the range coder's stream, coded as an
 * independent regular frame, and the flags before it (voice activity, redundancy: one bit each of even probability,
 * thus literally the first bits) only choose what follows. With "voice, no redundancy" in their place the decoder takes
 * the redundant frame for the regular one. A packet of SILK alone would then take the bytes left over for a redundant
 * CELT frame; as a hybrid packet it does not (but for one in 4,096): there they are the band above 8 kHz, noise some 30
 * dB and more below the speech, and nothing at an output of 16 kHz.
 */
export function redundancyPacket(payload: Uint8Array, info: OpusPacketInfo): Uint8Array | null {
  if (info.isDtx || info.mode === 'celt' || info.config < WIDE_BAND || info.frameMs > 20) return null;
  const frame = firstFrame(payload);
  if (!frame || frame.length < 2) return null;
  const flags = frame[0]!;
  if ((flags & 0x40) === 0) return null;
  const config = info.mode === 'silk' ? info.config + 4 : info.config;
  const packet = new Uint8Array(1 + frame.length);
  packet[0] = (config << 3) | (info.stereo ? 4 : 0);
  packet.set(frame, 1);
  // Stereo: two flags of the middle, then two of the sides, whose redundancy may be missing (a mono decoder does
  // not play them in any case).
  packet[1] = info.stereo ? (flags & 0x0f) | 0x80 | ((flags & 0x10) << 1) : (flags & 0x3f) | 0x80;
  return packet;
}

/** Finds the first compressed frame of a packet (RFC 6716, section 3.2); null for what is malformed. */
function firstFrame(payload: Uint8Array): Uint8Array | null {
  switch (payload[0]! & 3) {
    case 0:
      return payload.subarray(1);
    case 1:
      return payload.subarray(1, 1 + ((payload.length - 1) >> 1));
    case 2: {
      const size = frameSize(payload, 1);
      return size && slice(payload, size.next, size.bytes);
    }
    default:
      return firstOfMany(payload);
  }
}

function firstOfMany(payload: Uint8Array): Uint8Array | null {
  const count = payload[1]! & 0x3f;
  let at = 2;
  let padding = 0;
  if (payload[1]! & 0x40) {
    for (;;) {
      const more = payload[at++];
      if (more === undefined) return null;
      padding += more === 255 ? 254 : more;
      if (more !== 255) break;
    }
  }
  if (payload[1]! & 0x80) {
    const first = frameSize(payload, at);
    let next = first;
    for (let n = 1; next && n < count - 1; n++) next = frameSize(payload, next.next);
    if (!first || !next) return null;
    return slice(
      payload,
      count === 1 ? at : next.next,
      count === 1 ? payload.length - padding - at : first.bytes,
    );
  }
  return slice(payload, at, Math.floor((payload.length - padding - at) / count));
}

/** Reads a frame's length (RFC 6716, section 3.2.1). */
function frameSize(payload: Uint8Array, at: number): { bytes: number; next: number } | null {
  const first = payload[at];
  if (first === undefined) return null;
  if (first < 252) return { bytes: first, next: at + 1 };
  const second = payload[at + 1];
  return second === undefined ? null : { bytes: 4 * second + first, next: at + 2 };
}

function slice(payload: Uint8Array, at: number, bytes: number): Uint8Array | null {
  return bytes < 0 || at + bytes > payload.length ? null : payload.subarray(at, at + bytes);
}
