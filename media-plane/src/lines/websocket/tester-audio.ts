import { type AudioFormat, bytesPerMs } from '@voice/shared/audio/format';
import { PHONE_SAMPLE_RATE } from '@voice/shared/audio/g711';
import { Resampler } from '@voice/shared/audio/resample';
import { TESTER_MAX_FRAME_MS, type TesterQuery } from '@voice/shared/contracts/tester-protocol';
import { ProtocolViolation } from '../codec.js';
import { FrameCutter } from '../frame-cutter.js';

/** How far a tester's audio may lag behind the time before the gap is one, in ms. */
const GAP_MS = 200;
/** How far it may be ahead of the time, in ms: what is sent at once is worked on at once, beside other calls. */
const MOST_AHEAD_MS = 60_000;
/** Browsers' rate is more than any recogniser or voice takes. */
const LINE_RATE_FOR_48K = 24_000;

/** Returns the format of the line that the tester's audio becomes: its own, where providers know it. */
export function lineFormatOf({ encoding, sample_rate }: TesterQuery): AudioFormat {
  if (encoding === 'mulaw') return { encoding: 'pcmu', sampleRate: PHONE_SAMPLE_RATE };
  return { encoding: 'l16', sampleRate: sample_rate === 48_000 ? LINE_RATE_FOR_48K : sample_rate };
}

/** Converts one connection's audio: cuts what comes into frames of 20 ms, and keeps their place in time. */
export class TesterAudio {
  readonly #bytesPerMs: number;
  readonly #isPcm: boolean;
  readonly #down: Resampler | undefined;
  readonly #up: Resampler | undefined;
  readonly #cutter: FrameCutter;
  #positionMs = 0;

  /** @param onFrame the frame's bytes may be reused after the return */
  constructor(format: TesterQuery, onFrame: (frame: Uint8Array, positionMs: number) => void) {
    const line = lineFormatOf(format);
    this.#bytesPerMs = (format.sample_rate / 1000) * (format.encoding === 'pcm16' ? 2 : 1);
    this.#isPcm = format.encoding === 'pcm16';
    if (format.sample_rate !== line.sampleRate) {
      this.#down = new Resampler(format.sample_rate, line.sampleRate);
      this.#up = new Resampler(line.sampleRate, format.sample_rate);
    }
    this.#cutter = new FrameCutter(line, onFrame);
    this.#lineBytesPerMs = bytesPerMs(line);
  }

  readonly #lineBytesPerMs: number;

  /**
   * Takes audio of any length. A tester that sends nothing while it is muted leaves a gap: `elapsedMs` since the
   * stream began says where its audio goes on. Throws `ProtocolViolation`.
   */
  receive(bytes: Uint8Array, elapsedMs: number): void {
    if (bytes.length > TESTER_MAX_FRAME_MS * this.#bytesPerMs)
      throw new ProtocolViolation('audio of over a second');
    if (this.#isPcm && bytes.length % 2 !== 0) throw new ProtocolViolation('half a sample');
    const audio = this.#down ? littleEndian(this.#down.process(samplesOf(bytes))) : bytes;
    const lengthMs = audio.length / this.#lineBytesPerMs;
    const heldMs = this.#cutter.heldMs + lengthMs;
    if (elapsedMs - heldMs > this.#positionMs + GAP_MS) this.#positionMs = elapsedMs - lengthMs;
    if (this.#positionMs + lengthMs > elapsedMs + MOST_AHEAD_MS)
      throw new ProtocolViolation('audio of over a minute ahead of the time');
    this.#cutter.write(audio, this.#positionMs);
    this.#positionMs += lengthMs;
  }

  /** Converts a frame of the line to the tester's format; the bytes may be the frame's own. */
  send(frame: Uint8Array): Uint8Array {
    return this.#up ? littleEndian(this.#up.process(samplesOf(frame))) : frame;
  }
}

function samplesOf(bytes: Uint8Array): Int16Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const samples = new Int16Array(bytes.length / 2);
  for (let i = 0; i < samples.length; i++) samples[i] = view.getInt16(i * 2, true);
  return samples;
}

function littleEndian(samples: Int16Array): Uint8Array {
  const bytes = new Uint8Array(samples.length * 2);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < samples.length; i++) view.setInt16(i * 2, samples[i]!, true);
  return bytes;
}
