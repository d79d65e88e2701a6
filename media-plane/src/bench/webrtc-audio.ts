/**
 * What the audio of one WebRTC call costs, in ms of CPU time a second of call:
 * `node media-plane/dist/bench/webrtc-audio.js`. Speech without a pause, which is the dearest; time is
 * played, so nothing is waited for. Beside it the plain copying of the same frames, as the machine's measure.
 */
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { IncomingAudio } from '../lines/webrtc/audio/incoming-audio.js';
import { OutgoingAudio } from '../lines/webrtc/audio/outgoing-audio.js';
import type { SpeechRate } from '../lines/webrtc/audio/speech-decoder.js';

const FRAMES_A_SECOND = 50;
const SECONDS_A_ROUND = 10;
/** The median of the rounds counts; the first two warm up. */
const ROUNDS = 9;

/** Synthesizes something like speech: a gliding tone with its overtones, louder and softer. */
function voiceLike(samples: number, sampleRate: number): Int16Array {
  let phase = 0;
  return Int16Array.from({ length: samples }, (_, n) => {
    const t = n / sampleRate;
    phase += (2 * Math.PI * (140 + 40 * Math.sin(2.7 * t))) / sampleRate;
    const loudness = 6000 * (1 + Math.sin(9 * t));
    return loudness * (Math.sin(phase) + 0.5 * Math.sin(3 * phase) + 0.3 * Math.sin(17 * phase)) * 0.5;
  });
}

function framesOf(sampleRate: SpeechRate): Uint8Array[] {
  const perFrame = sampleRate / FRAMES_A_SECOND;
  const speech = voiceLike(sampleRate * SECONDS_A_ROUND, sampleRate);
  return Array.from(
    { length: SECONDS_A_ROUND * FRAMES_A_SECOND },
    (_, n) => new Uint8Array(speech.slice(n * perFrame, (n + 1) * perFrame).buffer),
  );
}

interface Stage {
  readonly name: string;
  /** Runs one call for `SECONDS_A_ROUND`. */
  run(): void;
}

function copying(frames: readonly Uint8Array[]): Stage {
  const target = new Uint8Array(frames[0]!.length);
  return {
    name: 'copy the frames (the measure)',
    run() {
      for (const frame of frames) for (let n = 0; n < frame.length; n++) target[n] = frame[n]!;
    },
  };
}

function outgoing(sampleRate: SpeechRate, frames: readonly Uint8Array[], packets: Uint8Array[]): Stage {
  return {
    name: `outgoing, ${sampleRate} Hz`,
    run() {
      packets.length = 0;
      const clock = new ScriptedClock();
      const send = (packet: Uint8Array) => void packets.push(packet);
      const audio = new OutgoingAudio({ sampleRate, ssrc: 1, payloadType: 111, clock, send });
      for (const frame of frames) {
        audio.sendFrame(frame);
        clock.advance(20);
      }
      audio.close();
    },
  };
}

function incoming(
  sampleRate: SpeechRate,
  packets: readonly Uint8Array[],
  name: string,
  isLost: (n: number) => boolean,
): Stage {
  return {
    name: `incoming, ${sampleRate} Hz${name}`,
    run() {
      const clock = new ScriptedClock();
      const audio = new IncomingAudio({ sampleRate, clock, onFrame: () => {} });
      for (const [n, packet] of packets.entries()) {
        if (!isLost(n)) audio.receive(packet);
        clock.advance(20);
      }
      audio.close();
    },
  };
}

function measure(stage: Stage): number {
  const times: number[] = [];
  for (let round = -2; round < ROUNDS; round++) {
    const from = process.cpuUsage();
    stage.run();
    const { user, system } = process.cpuUsage(from);
    if (round >= 0) times.push((user + system) / 1000 / SECONDS_A_ROUND);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
}

process.stdout.write('stage                              ms of CPU a second of call\n');
for (const sampleRate of [16_000, 24_000] as const) {
  const frames = framesOf(sampleRate);
  const packets: Uint8Array[] = [];
  const stages = [
    copying(frames),
    outgoing(sampleRate, frames, packets),
    incoming(sampleRate, packets, '', () => false),
    incoming(sampleRate, packets, ', 10 % lost', (n) => n % 10 === 3),
  ];
  for (const stage of stages) {
    process.stdout.write(`${stage.name.padEnd(34)} ${measure(stage).toFixed(2).padStart(10)}\n`);
  }
}
