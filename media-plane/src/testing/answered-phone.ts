import {
  encodeMulaw,
  FRAME_BYTES,
  FRAME_MS,
  MULAW_SILENCE,
  PHONE_SAMPLE_RATE,
} from '@voice/shared/audio/g711';
import type { LocalVoice } from '@voice/shared/local-voice/local-voice';
import type { AnsweredPhone } from './answers.js';
import type { CallStage } from './call-stage.js';

/** Something that detector or recogniser report, at a frame of the audio. */
type Report =
  | { readonly at: number; readonly kind: 'started' | 'stopped' }
  | { readonly at: number; readonly kind: 'text'; readonly text: string; readonly final: boolean };

/** An answered phone as audio, with what the edge reports of it. */
export interface RenderedPhone {
  readonly phone: AnsweredPhone;
  readonly frames: readonly Uint8Array[];
  readonly reports: readonly Report[];
  /** When its first beep is over, in ms; undefined where it has none. */
  readonly beepEndsAtMs: number | undefined;
}

export interface RenderingOptions {
  /** espeak-ng's variant, such as `m3`. */
  readonly variant: string;
  /** Amplitude of the noise on the line; 0: none. */
  readonly noise?: number;
  /** Whether the recogniser misses one word in five. */
  readonly misheard?: boolean;
}

/** The usual delays, in ms: detection of speech and of its end, an interim after its word, a final after the end. */
const NOTICED_MS = 60;
const END_NOTICED_MS = 200;
const INTERIM_MS = 150;
const FINAL_MS = 250;
/** Silence in a text, in ms, that the detector takes for the end of speech; punctuation makes shorter ones. */
const SENTENCE_GAP_MS = 300;
const BEEP_AMPLITUDE = 7000;

/** Renders what answers: speech by espeak-ng, tones, silence, noise over all of it. */
export async function renderPhone(
  phone: AnsweredPhone,
  voice: LocalVoice,
  { variant, noise = 0, misheard = false }: RenderingOptions,
): Promise<RenderedPhone> {
  const pieces: Int16Array[] = [];
  const reports: Report[] = [];
  let atMs = 0;
  let beepEndsAtMs: number | undefined;
  const append = (samples: Int16Array) => {
    pieces.push(samples);
    atMs += samples.length / (PHONE_SAMPLE_RATE / 1000);
  };
  for (const sound of phone.sounds) {
    if ('pause' in sound) append(silence(sound.pause));
    else if ('beep' in sound) {
      append(tone(sound.beep, sound.ms));
      beepEndsAtMs ??= atMs;
    } else {
      const { samples, words } = await spoken(sound.say, phone.language, variant, voice);
      reports.push(...reportsOf(words, atMs, misheard));
      append(samples);
    }
  }
  return {
    phone,
    frames: framesOf(pieces, noise),
    reports: reports.sort((a, b) => a.at - b.at),
    beepEndsAtMs,
  };
}

/** Plays the phone into a call until the call or `untilMs` is over; silence follows the last sound. */
export async function playPhone(
  stage: CallStage,
  { frames, reports }: RenderedPhone,
  untilMs: number,
): Promise<void> {
  const silentFrame = new Uint8Array(FRAME_BYTES).fill(MULAW_SILENCE);
  let next = 0;
  for (let frame = 0; frame * FRAME_MS < untilMs && !stage.over; frame += 1) {
    await stage.callerSends(frames[frame] ?? silentFrame);
    for (; (reports[next]?.at ?? Number.POSITIVE_INFINITY) <= (frame + 1) * FRAME_MS; next += 1) {
      const report = reports[next];
      if (report?.kind === 'text') stage.recogniser.transcribes(report.text, report.final);
      else if (report?.kind === 'started') stage.recogniser.speechStarted();
      else stage.recogniser.speechStopped();
    }
  }
}

interface Word {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

async function spoken(text: string, language: string, variant: string, voice: LocalVoice) {
  const audio: Uint8Array[] = [];
  const words: Word[] = [];
  const format = { encoding: 'l16', sampleRate: PHONE_SAMPLE_RATE } as const;
  for await (const chunk of voice.speak({ text, language, voice: `+${variant}`, rate: 165, format })) {
    audio.push(chunk.audio);
    words.push(...(chunk.words ?? []));
  }
  const bytes = Buffer.concat(audio);
  const samples = Int16Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readInt16LE(i * 2));
  // Without espeak-ng's own pause at the end.
  const endMs = words.at(-1)?.endMs ?? samples.length / 8;
  return { samples: samples.subarray(0, Math.ceil(endMs * 8)), words };
}

/** Returns what is reported of a text that begins at `fromMs`: speech by its sentences, words as they come. */
function reportsOf(words: readonly Word[], fromMs: number, misheard: boolean): Report[] {
  const reports: Report[] = [];
  let sentence: Word[] = [];
  let open = false;
  for (const [index, word] of words.entries()) {
    if (!open) reports.push({ at: fromMs + word.startMs + NOTICED_MS, kind: 'started' });
    open = true;
    if (!misheard || (index * 7 + 3) % 5 !== 0) sentence = [...sentence, word];
    const text = sentence.map((heard) => heard.text).join(' ');
    const endsAt = fromMs + word.endMs;
    const following = words[index + 1];
    const last = !following || following.startMs - word.endMs >= SENTENCE_GAP_MS;
    if (text !== '') reports.push({ at: endsAt + INTERIM_MS, kind: 'text', text, final: false });
    if (!last) continue;
    reports.push({ at: endsAt + END_NOTICED_MS, kind: 'stopped' });
    if (text !== '') reports.push({ at: endsAt + FINAL_MS, kind: 'text', text, final: true });
    sentence = [];
    open = false;
  }
  return reports;
}

function silence(ms: number): Int16Array {
  return new Int16Array((ms * PHONE_SAMPLE_RATE) / 1000);
}

function tone(hz: number, ms: number): Int16Array {
  return silence(ms).map((_, n) => BEEP_AMPLITUDE * Math.sin((2 * Math.PI * hz * n) / PHONE_SAMPLE_RATE));
}

/** Returns mu-law frames of it all. The noise is the same in every run. */
function framesOf(pieces: readonly Int16Array[], noise: number): Uint8Array[] {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const samples = new Int16Array(Math.ceil(length / FRAME_BYTES) * FRAME_BYTES);
  let at = 0;
  for (const piece of pieces) {
    samples.set(piece, at);
    at += piece.length;
  }
  let seed = 1;
  const noisy = noise === 0 ? samples : samples.map((sample) => sample + noise * random());
  function random(): number {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed / 2 ** 32) * 2 - 1;
  }
  const audio = encodeMulaw(noisy);
  return Array.from({ length: audio.length / FRAME_BYTES }, (_, n) =>
    audio.subarray(n * FRAME_BYTES, (n + 1) * FRAME_BYTES),
  );
}
