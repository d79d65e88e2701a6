/**
 * The one MP3 format of recordings: MPEG 2.5 Layer III, 8,000 Hz, stereo, constant 32 kbit/s, so that every
 * frame has the same length and a file's length tells its duration.
 */

export const MP3_SAMPLE_RATE = 8000;
export const MP3_BITRATE_KBPS = 32;
/** Samples a channel in a frame (72 ms). */
export const MP3_FRAME_SAMPLES = 576;
/** Bytes of a frame; at this rate frames need no padding. */
export const MP3_FRAME_BYTES = (MP3_FRAME_SAMPLES * MP3_BITRATE_KBPS * 1000) / 8 / MP3_SAMPLE_RATE;
/** Samples of silence that LAME puts in front; its header states it, and players leave it out. */
export const LAME_DELAY_SAMPLES = 576;
/** Samples that every MP3 decoder is late by; players leave it out together with the encoder's delay. */
export const DECODER_DELAY_SAMPLES = 529;

/** ISO/IEC 11172-3 frame header with the MPEG 2.5 extension: sync, layer III, no CRC; 32 kbit/s at 8,000 Hz; joint stereo. */
const FRAME_HEADER = [0xff, 0xe3, 0x48, 0x44];
/** Bytes of side information behind the header of an MPEG 2.5 stereo frame. */
const SIDE_INFO_BYTES = 17;
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
 * The frame in front of the audio that tells players what to leave out at both ends, and the length: Xing's
 * header (as "Info", for constant bit rate) with LAME's extension. To a decoder that does not know it, it is
 * 72 ms of silence.
 */
export function mp3InfoFrame(length: Mp3Length): Uint8Array {
  const frame = new Uint8Array(MP3_FRAME_BYTES);
  const view = new DataView(frame.buffer);
  frame.set(FRAME_HEADER);
  let at = FRAME_HEADER.length + SIDE_INFO_BYTES;
  at = ascii(frame, at, 'Info');
  view.setUint32(at, HAS_FRAMES | HAS_BYTES);
  view.setUint32(at + 4, length.frames);
  view.setUint32(at + 8, (length.frames + 1) * MP3_FRAME_BYTES);
  at += 12;
  at = ascii(frame, at, 'LAME3.100');
  frame[at] = CONSTANT_BITRATE;
  // 11 bytes on: low-pass, replay gain (8) and flags are unknown.
  at += 11;
  frame[at] = MP3_BITRATE_KBPS;
  const padding = paddingSamples(length);
  frame[at + 1] = LAME_DELAY_SAMPLES >> 4;
  frame[at + 2] = ((LAME_DELAY_SAMPLES & 0x0f) << 4) | (padding >> 8);
  frame[at + 3] = padding & 0xff;
  // Behind them: miscellaneous, gain, preset (2), length of the file (4) and its checksum (2), left unknown.
  at += 14;
  view.setUint16(at, crc16(frame.subarray(0, at)));
  return frame;
}

/** Samples that the encoder added behind the audio to fill its last frame. */
function paddingSamples({ frames, samples }: Mp3Length): number {
  const padding = frames * MP3_FRAME_SAMPLES - LAME_DELAY_SAMPLES - samples;
  return Math.max(0, Math.min(0xfff, padding));
}

/** How long a recording of this many bytes is, in ms: to a frame, for a file whose end was never written. */
export function mp3DurationMs(bytes: number): number {
  const frames = Math.floor(bytes / MP3_FRAME_BYTES) - 1;
  const samples = frames * MP3_FRAME_SAMPLES - LAME_DELAY_SAMPLES - DECODER_DELAY_SAMPLES;
  return Math.max(0, (samples * 1000) / MP3_SAMPLE_RATE);
}

function ascii(frame: Uint8Array, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) frame[at + i] = text.charCodeAt(i);
  return at + text.length;
}

/** CRC-16 with the polynomial x^16 + x^15 + x^2 + 1, reflected, as LAME's header has it. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}
