import type { Clock } from '@voice/shared/clock/clock';
import { DelayEstimate, MAX_DELAY_MS } from './delay-estimate.js';
import { FRAME_MS, frameTickerOf } from './frame-ticker.js';
import { describeOpusPacket, OPUS_CLOCK_KHZ } from './opus-packet.js';
import { type BufferedPacket, PacketBuffer } from './packet-buffer.js';
import { LONGEST_MS, pitchPeriod } from './pitch-period.js';
import { ReceptionRecord } from './reception-record.js';
import { parseRtp, type RtpPacket, unwrap } from './rtp.js';
import { SampleQueue } from './sample-queue.js';
import { SpeechDecoder, type SpeechRate } from './speech-decoder.js';

/** Audio held at most, from the first waiting packet to the last, ms: the oldest goes first. */
const MAX_BUFFERED_MS = 500;
/** Delay that is let be although it is more than wanted, ms. */
const TOO_LONG_BY_MS = 12;
const TOO_SHORT_BY_MS = 10;
/** How often the delay is shortened or lengthened by a pitch period, in frames; at every frame from `HURRY_MS` on. */
const ADJUST_EVERY = 5;
const HURRY_MS = 100;
/** For so long after a loss a packet more is held back, so that the redundancy in the next one comes in time. */
const LOSS_REMEMBERED_MS = 10_000;
/** A packet whose transit time differs by more than this is of another stream of timestamps, ms. */
const RESTART_MS = 2000;
/** RFC 3550, appendix A.1: a larger step of sequence numbers is a restart. */
const MAX_DROPOUT = 3000;

export interface IncomingAudioOptions {
  /** Of the frames, Hz. */
  readonly sampleRate: SpeechRate;
  readonly clock: Clock;
  /**
   * One frame of 20 ms, L16 little-endian, exactly 50 a second from the first packet on. `positionMs` counts
   * from the first frame. `concealed`: most of it was lost and is made up (what forward error correction brings
   * back is not, nor is the silence of a sender that sends nothing then). The bytes are reused after the return.
   */
  readonly onFrame: (frame: Uint8Array, positionMs: number, concealed: boolean) => void;
}

/** Since the beginning; times in ms. */
export interface IncomingAudioStatistics {
  readonly packetsReceived: number;
  readonly packetsLost: number;
  /** Frames. */
  readonly concealed: number;
  readonly jitterMs: number;
  /** For how long audio is held back at present, over the fastest packet. */
  readonly bufferMs: number;
}

/**
 * Turns RTP packets of Opus, as the network brings them, into frames of speech, as a clock wants them. Between them an
 * adaptive jitter buffer: the delay follows the packets' transit times, grows at once and shrinks slowly.
 */
export class IncomingAudio {
  readonly #options: IncomingAudioOptions;
  readonly #decoder: SpeechDecoder;
  readonly #queue: SampleQueue;
  readonly #frame: Int16Array;
  readonly #frameBytes: Uint8Array;
  readonly #packets = new PacketBuffer();
  readonly #delay = new DelayEstimate();
  readonly #record = new ReceptionRecord();
  #ssrc: number | undefined;
  /** The packet that was taken last; undefined before the first one of a stream. */
  #played: BufferedPacket | undefined;
  /** The timestamp that is decoded next (unwrapped); undefined until playing begins. */
  #next: number | undefined;
  /** Ticks of 48 kHz for which the buffer was empty and something was made up, beyond `#next`. */
  #overdue = 0;
  /** Of the last packet, unwrapped: what the next one's numbers are compared with. */
  #lastTimestamp = 0;
  #lastSequence = 0;
  /** A packet that fits into no known stream of timestamps: of a new one, if the next does likewise. */
  #stray: { readonly transit: number } | undefined;
  #lostAt = Number.NEGATIVE_INFINITY;
  #nowMs = 0;
  #frames = 0;
  #concealedFrames = 0;
  #bufferMs = 0;
  /** By how much audio is held back for longer than wanted, at the last frame. */
  #excessMs = 0;
  #closed = false;

  constructor(options: IncomingAudioOptions) {
    this.#options = options;
    const { sampleRate } = options;
    this.#decoder = new SpeechDecoder(sampleRate);
    this.#frame = new Int16Array((sampleRate * FRAME_MS) / 1000);
    this.#frameBytes = new Uint8Array(this.#frame.buffer);
    // The longest packet beside two frames, and room for a pitch period.
    this.#queue = new SampleQueue((sampleRate * (120 + 3 * FRAME_MS)) / 1000);
  }

  /** Takes one whole RTP packet as it came; what is none is left out. The bytes are not kept. */
  receive(packet: Uint8Array): void {
    if (this.#closed) return;
    const rtp = parseRtp(packet);
    const info = rtp && describeOpusPacket(rtp.payload);
    if (!rtp || !info) return;
    const now = this.#options.clock.monotonic();
    if (rtp.ssrc !== this.#ssrc) this.#restart(rtp);
    let timestamp = unwrap(rtp.timestamp, this.#lastTimestamp, 32);
    let sequence = unwrap(rtp.sequenceNumber, this.#lastSequence, 16);
    const transit = now - timestamp / OPUS_CLOCK_KHZ;
    if (this.#isStray(transit, sequence)) {
      const known = this.#stray && Math.abs(this.#stray.transit - transit) < RESTART_MS;
      this.#stray = { transit };
      if (!known) return;
      // Timestamps alone may jump, also by a stall: then the numbers go on, and with them what is counted.
      this.#restart(rtp, Math.abs(sequence - this.#lastSequence) <= MAX_DROPOUT ? sequence : undefined);
      timestamp = this.#lastTimestamp;
      sequence = this.#lastSequence;
    }
    this.#stray = undefined;
    if (!this.#record.add(sequence)) return;
    this.#lastTimestamp = timestamp;
    this.#lastSequence = sequence;
    // What stands in its place has been heard already, or is: then it is still played, all later by so much.
    const late = this.#next !== undefined && timestamp < this.#next + this.#overdue;
    this.#delay.add(now - timestamp / OPUS_CLOCK_KHZ, now, late);
    if (this.#next !== undefined && timestamp < this.#next) return;
    this.#packets.insert({
      sequence,
      timestamp,
      duration: info.durationMs * OPUS_CLOCK_KHZ,
      info,
      payload: rtp.payload.slice(),
    });
    this.#bound();
    // When a packet like this one has waited for as long as packets should.
    frameTickerOf(this.#options.clock).add(this, now + this.#targetMs(now));
  }

  statistics(): IncomingAudioStatistics {
    return {
      packetsReceived: this.#record.received,
      packetsLost: this.#record.lost,
      concealed: this.#concealedFrames,
      jitterMs: this.#delay.jitterMs,
      bufferMs: this.#bufferMs,
    };
  }

  /** Ends the frames. Idempotent. */
  close(): void {
    this.#closed = true;
    frameTickerOf(this.#options.clock).remove(this);
    this.#packets.clear();
  }

  /** Plays one frame: called by the ticker. */
  onTick(nowMs: number): void {
    this.#nowMs = nowMs;
    this.#begin(nowMs);
    if (this.#next !== undefined) this.#adjust(nowMs);
    while (this.#queue.length < this.#frame.length) this.#decodeNext();
    const madeUp = this.#queue.shiftInto(this.#frame);
    const concealed = madeUp * 2 > this.#frame.length;
    if (concealed) this.#concealedFrames++;
    this.#options.onFrame(this.#frameBytes, this.#frames++ * FRAME_MS, concealed);
  }

  #targetMs(nowMs: number): number {
    // The next packet must be there even when the delay is as short as it is let be.
    const forRedundancy = nowMs - this.#lostAt < LOSS_REMEMBERED_MS ? FRAME_MS + TOO_SHORT_BY_MS : 0;
    return Math.min(MAX_DELAY_MS, this.#delay.targetMs(nowMs) + forRedundancy);
  }

  /** Begins to play once the first packet has waited for as long as packets should. */
  #begin(nowMs: number): void {
    const first = this.#packets.first;
    if (this.#next !== undefined || !first) return;
    const waitedMs = nowMs - first.timestamp / OPUS_CLOCK_KHZ - this.#delay.baseTransit;
    if (waitedMs < this.#targetMs(nowMs)) return;
    this.#next = first.timestamp;
    this.#overdue = 0;
  }

  /** Puts the next piece into the queue: a packet, what stands for a lost one, or silence. */
  #decodeNext(): void {
    const first = this.#packets.first;
    if (this.#next === undefined || !first) {
      this.#fillGap(FRAME_MS * OPUS_CLOCK_KHZ, this.#played?.info.isDtx === true);
      this.#overdue += FRAME_MS * OPUS_CLOCK_KHZ;
      return;
    }
    const gap = first.timestamp - this.#next;
    const isWhole = first.sequence === (this.#played?.sequence ?? first.sequence - 1) + 1;
    // What is lost while the sender is silent is mostly its silence.
    const isPause = isWhole || this.#played?.info.isDtx === true;
    const isLoss = gap > 0 && !isWhole;
    if (isLoss) this.#lostAt = this.#nowMs;
    if (gap <= this.#overdue && !(isLoss && this.#isTooShort())) {
      this.#play(first);
      return;
    }
    // Time for which the buffer was empty counts against the gap, but where the delay should grow: there it does.
    if (gap > this.#overdue) this.#next += this.#overdue;
    this.#overdue = 0;
    const missing = first.timestamp - this.#next;
    const recoverable = first.info.frameMs * OPUS_CLOCK_KHZ;
    if (!isWhole && missing <= recoverable) {
      const recovered = missing === recoverable ? this.#decoder.recover(first.payload, first.info) : null;
      if (recovered) this.#queue.push(recovered, false);
      else this.#fillGap(missing, isPause);
      this.#next += missing;
      return;
    }
    const piece = Math.min(FRAME_MS * OPUS_CLOCK_KHZ, isWhole ? missing : missing - recoverable);
    this.#fillGap(piece, isPause);
    this.#next += piece;
    // A pause is where nobody misses some time.
    const spare = Math.max(0, (this.#excessMs - TOO_LONG_BY_MS) * OPUS_CLOCK_KHZ);
    if (isWhole) this.#next += Math.min(spare, piece, missing - piece);
  }

  #play(packet: BufferedPacket): void {
    this.#packets.take();
    // Not before: until here the old stream's end fades.
    if (!this.#played) this.#decoder.reset();
    this.#queue.push(this.#decoder.decode(packet.payload, packet.info), false);
    this.#next = packet.timestamp + packet.duration;
    this.#overdue = 0;
    this.#played = packet;
  }

  /** Fills a gap of `ticks` of 48 kHz. */
  #fillGap(ticks: number, isPause: boolean): void {
    const ms = ticks / OPUS_CLOCK_KHZ;
    if (isPause) this.#queue.push(this.#decoder.comfortNoise(ms), false);
    else this.#queue.push(this.#decoder.conceal(ms), this.#decoder.hasBegun);
  }

  /** Returns whether packets are held back for less than they should. */
  #isTooShort(): boolean {
    return this.#bufferMs - this.#targetMs(this.#nowMs) < -TOO_SHORT_BY_MS;
  }

  /** Brings the delay nearer to what is wanted, by a pitch period at a time. */
  #adjust(nowMs: number): void {
    const queuedMs = (this.#queue.length * 1000) / this.#options.sampleRate;
    const playingMs = (this.#next! + this.#overdue) / OPUS_CLOCK_KHZ - queuedMs;
    this.#bufferMs = Math.max(0, nowMs - playingMs - this.#delay.baseTransit);
    const targetMs = this.#targetMs(nowMs);
    const excess = this.#bufferMs - targetMs;
    this.#excessMs = excess;
    if (this.#overdue > 0 || !this.#packets.first) return;
    // After a pause that the timestamps leave out, audio comes later than before, but none of it waits.
    const waitingMs = this.#packets.span / OPUS_CLOCK_KHZ + queuedMs;
    if (excess > 0 && waitingMs <= targetMs) return;
    const isDue = this.#frames % ADJUST_EVERY === 0 || excess > HURRY_MS;
    if (!isDue || (excess <= TOO_LONG_BY_MS && excess >= -TOO_SHORT_BY_MS)) return;
    const needed = this.#frame.length + (LONGEST_MS * this.#options.sampleRate) / 1000;
    while (this.#queue.length < needed && this.#packets.first && this.#overdue === 0) this.#decodeNext();
    const period = pitchPeriod(this.#queue.samples, this.#options.sampleRate);
    if (period === null) return;
    if (excess < 0) this.#queue.lengthen(period);
    else this.#queue.shorten(period);
  }

  /** Leaves out the oldest of what waits when it is over its bound. */
  #bound(): void {
    while (this.#packets.span > MAX_BUFFERED_MS * OPUS_CLOCK_KHZ) {
      this.#packets.take();
      if (this.#next !== undefined) {
        this.#next = Math.max(this.#next, this.#packets.first!.timestamp);
        this.#overdue = 0;
      }
    }
  }

  #isStray(transit: number, sequence: number): boolean {
    if (!this.#delay.isRunning) return false;
    return (
      Math.abs(transit - this.#delay.lastTransit) > RESTART_MS ||
      Math.abs(sequence - this.#lastSequence) > MAX_DROPOUT
    );
  }

  /** Restarts with another stream: another sender, or timestamps that have nothing to do with those before. */
  #restart(rtp: RtpPacket, sequence?: number): void {
    this.#ssrc = rtp.ssrc;
    // High enough for packets from before the first one to have a number, too.
    this.#lastTimestamp = rtp.timestamp + 2 ** 32;
    this.#lastSequence = sequence ?? rtp.sequenceNumber + 2 ** 16;
    if (sequence === undefined) this.#record.restart();
    this.#packets.clear();
    this.#delay.reset();
    this.#next = undefined;
    this.#overdue = 0;
    this.#played = undefined;
  }
}
