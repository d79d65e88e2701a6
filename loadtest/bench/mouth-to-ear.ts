import { setTimeout as sleep } from 'node:timers/promises';
import { Decoder } from '@evan/opus';
import { BuiltProgram, type Usage } from '@voice/shared/process/built-program';
import { ChirpFinder, chirp } from './chirp.js';
import { BenchControlPlane } from './control-plane.js';
import { FrameClock } from './frame-clock.js';
import { mediasoupEnvironment } from './mediasoup.js';
import { encodeOpus } from './opus-speech.js';
import { WebRtcPeer } from './webrtc-peer.js';

export interface MouthToEarResult {
  /** From a sound before the caller's microphone to the same sound at the caller's ear, in ms. */
  readonly delays: readonly number[];
  /** CPU time of the echo worker, mediasoup's included, for a second of one call, in ms. */
  readonly cpuPerCall: number;
  /** Of it in mediasoup's own process. */
  readonly mediasoupPerCall: number;
  /** By how much the bench itself was late at worst, in ms. */
  readonly benchLateness: number;
}

const FRAME_MS = 20;
const RATE = 48_000;
const EAR_RATE = 16_000;
/** The caller hums, and chirps once a loop. */
const LOOP_FRAMES = 50;
const CHIRP_FRAME = 20;
const CHIRP_OFFSET_MS = 4;
/** Like a voice, with syllables: a codec takes a steady tone for noise, and sends nothing in noise. */
const HUM_HZ = 125;
const HUM_OVERTONES = 10;
const HUM_AMPLITUDE = 1500;
const SYLLABLE_HZ = 4;
/** The jitter buffer has settled by then. */
const WARM_UP_MS = 8000;

/** Runs so many WebRTC calls with an agent that returns its input at once: the line and nothing else. */
export async function runMouthToEar(calls: number, seconds: number): Promise<MouthToEarResult> {
  const controlPlane = new BenchControlPlane();
  const clock = new FrameClock();
  const peers: EchoPeer[] = [];
  const worker = await BuiltProgram.start('media-plane/dist/bench/echo-worker.js', [], {
    ...mediasoupEnvironment(),
    INTERNAL_SECRET: controlPlane.secret,
    WORKER_ID: 'bench-echo',
    LOG_LEVEL: 'warn',
  });
  try {
    const packets = loop();
    for (let call = 0; call < calls; call++) {
      const peer = new EchoPeer(packets, call);
      await peer.connect((offer) => controlPlane.offer(`http://127.0.0.1:${worker.port}`, `${call}`, offer));
      peers.push(peer);
    }
    // Not before all are connected: handshakes hold the bench up, and packets that come late are remembered for long.
    for (const peer of peers) clock.add(peer);
    await sleep(WARM_UP_MS);
    for (const peer of peers) peer.delays.length = 0;
    clock.worstLateness = 0;
    const before = usages(worker);
    await sleep(seconds * 1000);
    const after = usages(worker);
    const perCall = (read: (usage: ReturnType<typeof usages>) => Usage) =>
      (read(after).cpuMs - read(before).cpuMs) / seconds / calls;
    return {
      delays: peers.flatMap(({ delays }) => delays),
      cpuPerCall: perCall(({ all }) => all),
      mediasoupPerCall: perCall(({ mediasoup }) => mediasoup),
      benchLateness: clock.worstLateness,
    };
  } finally {
    clock.stop();
    for (const peer of peers) peer.close();
    await worker.stop();
  }
}

const usages = (worker: BuiltProgram) => ({ all: worker.usage(), mediasoup: worker.usageOfChildren() });

/** Builds a second of humming with a chirp in it, in Opus: the second time round, when the encoder knows the loop. */
function loop(): readonly Uint8Array[] {
  const samples = Int16Array.from({ length: (LOOP_FRAMES * RATE * FRAME_MS) / 1000 }, (_, n) => {
    const turns = (2 * Math.PI * n) / RATE;
    let wave = 0;
    for (let k = 1; k <= HUM_OVERTONES; k++) wave += Math.sin(HUM_HZ * k * turns) / k;
    return HUM_AMPLITUDE * (0.55 - 0.45 * Math.cos(SYLLABLE_HZ * turns)) * wave;
  });
  samples.set(chirp(RATE), ((CHIRP_FRAME * FRAME_MS + CHIRP_OFFSET_MS) * RATE) / 1000);
  const twice = new Int16Array(samples.length * 2);
  twice.set(samples);
  twice.set(samples, samples.length);
  return encodeOpus(twice).slice(LOOP_FRAMES);
}

/** Says the loop again and again, and listens for its chirp. */
class EchoPeer {
  readonly delays: number[] = [];
  readonly #packets: readonly Uint8Array[];
  readonly #decoder = new Decoder({ channels: 1, sample_rate: EAR_RATE });
  readonly #finder = new ChirpFinder(EAR_RATE, (EAR_RATE * FRAME_MS) / 1000);
  #peer: WebRtcPeer | undefined;
  #frame: number;
  /** When the microphone met the chirp that is under way, monotonic ms. */
  #chirpedAt: number | undefined;
  #lastArrival = 0;

  /** @param number spreads the callers' chirps over the loop */
  constructor(packets: readonly Uint8Array[], number: number) {
    this.#packets = packets;
    this.#frame = (number * 7) % LOOP_FRAMES;
  }

  async connect(relay: Parameters<typeof WebRtcPeer.open>[0]): Promise<void> {
    this.#peer = await WebRtcPeer.open(relay, {
      onPacket: (payload, at) => this.#hear(payload, at),
      onClosed: () => {},
    });
  }

  tick(now: number): void {
    this.#peer?.send(this.#packets[this.#frame]!);
    // A frame is sent when the microphone has filled it.
    if (this.#frame === CHIRP_FRAME) this.#chirpedAt = now - FRAME_MS + CHIRP_OFFSET_MS;
    this.#frame = (this.#frame + 1) % LOOP_FRAMES;
  }

  close(): void {
    this.#peer?.close();
  }

  /** Plays audio as it arrives: the listener's own jitter buffer is not part of what is measured. */
  #hear(payload: Buffer, at: number): void {
    const bytes = this.#decoder.decode(payload);
    const samples = new Int16Array(bytes.slice().buffer);
    const startMs = this.#finder.push(samples);
    const previous = this.#lastArrival;
    this.#lastArrival = at;
    if (startMs === undefined || this.#chirpedAt === undefined) return;
    const heardAt = startMs < FRAME_MS ? previous + startMs : at + startMs - FRAME_MS;
    this.delays.push(heardAt - this.#chirpedAt);
    this.#chirpedAt = undefined;
  }
}
