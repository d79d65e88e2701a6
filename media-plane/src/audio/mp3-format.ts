import type { AudioFormat } from '@voice/shared/audio/format';

/**
 * The MP3 formats of recordings, one for each rate of a line: Layer III, joint stereo, constant bit rate without
 * padding, so that every frame has the same length and a file's length gives its duration.
 */
export interface Mp3Format {
  /** Hz */
  readonly sampleRate: AudioFormat['sampleRate'];
  readonly bitrateKbps: 32 | 64 | 96 | 128;
  /** Samples a channel in a frame. */
  readonly frameSamples: number;
  readonly frameBytes: number;
  /** ISO/IEC 11172-3 and 13818-3 frame header: sync, version, layer III, no CRC; bit rate and rate; joint stereo. */
  readonly header: readonly [number, number, number, number];
  /** Bytes of side information behind the header of a stereo frame. */
  readonly sideInfoBytes: number;
}

/** Joint stereo, original. */
const STEREO = 0x44;

const FORMATS: Readonly<Record<AudioFormat['sampleRate'], Mp3Format>> = {
  // MPEG 2.5: 32 kbit/s at 8,000 Hz.
  8000: {
    sampleRate: 8000,
    bitrateKbps: 32,
    frameSamples: 576,
    frameBytes: 288,
    header: [0xff, 0xe3, 0x48, STEREO],
    sideInfoBytes: 17,
  },
  // MPEG 2: 64 kbit/s at 16,000 Hz.
  16000: {
    sampleRate: 16_000,
    bitrateKbps: 64,
    frameSamples: 576,
    frameBytes: 288,
    header: [0xff, 0xf3, 0x88, STEREO],
    sideInfoBytes: 17,
  },
  // MPEG 2: 96 kbit/s at 24,000 Hz.
  24000: {
    sampleRate: 24_000,
    bitrateKbps: 96,
    frameSamples: 576,
    frameBytes: 288,
    header: [0xff, 0xf3, 0xa4, STEREO],
    sideInfoBytes: 17,
  },
  // MPEG 1: 128 kbit/s at 48,000 Hz.
  48000: {
    sampleRate: 48_000,
    bitrateKbps: 128,
    frameSamples: 1152,
    frameBytes: 384,
    header: [0xff, 0xfb, 0x94, STEREO],
    sideInfoBytes: 32,
  },
};

/** Returns the format of recordings of lines at this rate. */
export function mp3Format(sampleRate: AudioFormat['sampleRate']): Mp3Format {
  return FORMATS[sampleRate];
}

/** The format of phone lines. */
export const PHONE_MP3 = FORMATS[8000];
/** Samples of silence that LAME puts in front; its header states it, and players leave it out. */
export const LAME_DELAY_SAMPLES = 576;
/** Samples that every MP3 decoder is late by; players leave it out together with the encoder's delay. */
export const DECODER_DELAY_SAMPLES = 529;

const HAS_FRAMES = 1;
const HAS_BYTES = 2;
const CONSTANT_BITRATE = 1;

export interface Mp3Length {
  /** Frames of audio, without the information frame. */
  readonly frames: number;
  /** Samples of a channel that were encoded. */
  readonly samples: number;
}

/**
 * Builds the frame in front of the audio that holds what players leave out at both ends, and the length: Xing's
 * header (as "Info", for constant bit rate) with LAME's extension. To a decoder that does not know it, it is
 * a frame of silence.
 */
export function mp3InfoFrame(length: Mp3Length, format: Mp3Format = PHONE_MP3): Uint8Array {
  const frame = new Uint8Array(format.frameBytes);
  const view = new DataView(frame.buffer);
  frame.set(format.header);
  let at = format.header.length + format.sideInfoBytes;
  at = ascii(frame, at, 'Info');
  view.setUint32(at, HAS_FRAMES | HAS_BYTES);
  view.setUint32(at + 4, length.frames);
  view.setUint32(at + 8, (length.frames + 1) * format.frameBytes);
  at += 12;
  at = ascii(frame, at, 'LAME3.100');
  frame[at] = CONSTANT_BITRATE;
  // 11 bytes on: low-pass, replay gain (8) and flags are unknown.
  at += 11;
  frame[at] = format.bitrateKbps;
  const padding = paddingSamples(length, format);
  frame[at + 1] = LAME_DELAY_SAMPLES >> 4;
  frame[at + 2] = ((LAME_DELAY_SAMPLES & 0x0f) << 4) | (padding >> 8);
  frame[at + 3] = padding & 0xff;
  // Behind them: miscellaneous, gain, preset (2), length of the file (4) and its checksum (2), left unknown.
  at += 14;
  view.setUint16(at, crc16(frame.subarray(0, at)));
  return frame;
}

/** Returns how many samples the encoder added behind the audio to fill its last frame. */
function paddingSamples({ frames, samples }: Mp3Length, { frameSamples }: Mp3Format): number {
  const padding = frames * frameSamples - LAME_DELAY_SAMPLES - samples;
  return Math.max(0, Math.min(0xfff, padding));
}

/** Returns how long a recording of this many bytes is, in ms: to a frame, for a file whose end was never written. */
export function mp3DurationMs(bytes: number, format: Mp3Format = PHONE_MP3): number {
  const frames = Math.floor(bytes / format.frameBytes) - 1;
  const samples = frames * format.frameSamples - LAME_DELAY_SAMPLES - DECODER_DELAY_SAMPLES;
  return Math.max(0, (samples * 1000) / format.sampleRate);
}

function ascii(frame: Uint8Array, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) frame[at + i] = text.charCodeAt(i);
  return at + text.length;
}

/** Computes the CRC-16 with the polynomial x^16 + x^15 + x^2 + 1, reflected, as LAME's header has it. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}
