/** What an MP3 file is made of, by the headers of its frames. */
export interface Mp3Shape {
  /** Hz */
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  /** Of one channel, over the whole file. */
  readonly samples: number;
}

const HEADER_BYTES = 4;
/** kbit/s of layer III by index: MPEG 1, and MPEG 2 and 2.5. Index 0 ("free") and 15 are not used here. */
const BITRATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const BITRATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
/** Hz of MPEG 1; halved for MPEG 2, quartered for 2.5. */
const SAMPLE_RATES = [44_100, 48_000, 32_000];
/** By the two version bits: MPEG 2.5, reserved, MPEG 2, MPEG 1. */
const RATE_DIVISORS = [4, 0, 2, 1];
/** An information frame (Xing, Info) holds no audio; decoders skip it. Its name is within this of the start. */
const INFO_WITHIN_BYTES = 64;

interface Frame {
  readonly bytes: number;
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  readonly samples: number;
}

/** Reads the frame whose header this is (ISO 11172-3, 2.4.1.3); null where it is none of layer III. */
function frameAt(b: Buffer, at: number): Frame | null {
  const [b0, b1, b2, b3] = [b[at]!, b[at + 1]!, b[at + 2]!, b[at + 3]!];
  if (b0 !== 0xff || (b1 & 0xe0) !== 0xe0 || ((b1 >> 1) & 3) !== 1) return null;
  const divisor = RATE_DIVISORS[(b1 >> 3) & 3]!;
  const kilobits = (divisor === 1 ? BITRATES_1 : BITRATES_2)[b2 >> 4] ?? 0;
  const fullRate = SAMPLE_RATES[(b2 >> 2) & 3];
  if (divisor === 0 || kilobits === 0 || fullRate === undefined) return null;
  const sampleRate = fullRate / divisor;
  const samples = divisor === 1 ? 1152 : 576;
  const bytes = Math.floor(((samples / 8) * kilobits * 1000) / sampleRate) + ((b2 >> 1) & 1);
  return { bytes, sampleRate, channels: b3 >> 6 === 3 ? 1 : 2, samples };
}

/** Returns how long an ID3v2 tag at the beginning is, in bytes. */
function tagBytes(head: Buffer): number {
  if (head.subarray(0, 3).toString('latin1') !== 'ID3') return 0;
  return 10 + ((head[6]! << 21) | (head[7]! << 14) | (head[8]! << 7) | head[9]!);
}

/** Reads the shape of an MP3 file as its bytes come; holds a frame's header at most. */
export class Mp3Scan {
  #held: Buffer = Buffer.alloc(0);
  /** Bytes to pass over before the next header. */
  #skip = 0;
  #begun = false;
  #shape: Mp3Shape | null = null;

  push(chunk: Uint8Array): void {
    const bytes = Buffer.concat([this.#held, chunk]);
    let at = 0;
    for (;;) {
      const passed = Math.min(this.#skip, bytes.length - at);
      at += passed;
      this.#skip -= passed;
      const wanted = this.#begun ? HEADER_BYTES : INFO_WITHIN_BYTES;
      if (this.#skip > 0 || bytes.length - at < wanted) break;
      this.#skip = this.#take(bytes, at);
    }
    this.#held = Buffer.from(bytes.subarray(at));
  }

  /** Null where no frame was found. */
  get shape(): Mp3Shape | null {
    return this.#shape;
  }

  /** Looks at a place; how many bytes to go on. */
  #take(bytes: Buffer, at: number): number {
    const tag = this.#begun ? 0 : tagBytes(bytes.subarray(at));
    if (tag > 0) return tag;
    const frame = frameAt(bytes, at);
    if (!frame) return 1;
    const first = !this.#begun;
    this.#begun = true;
    const { sampleRate, channels } = this.#shape ?? frame;
    const head = first ? bytes.subarray(at, at + INFO_WITHIN_BYTES).toString('latin1') : '';
    const added = /Xing|Info/.test(head) ? 0 : frame.samples;
    this.#shape = { sampleRate, channels, samples: (this.#shape?.samples ?? 0) + added };
    return frame.bytes;
  }
}
