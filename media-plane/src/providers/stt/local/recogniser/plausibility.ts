import { SAMPLE_RATE, type Transcription } from './moonshine.js';

/** Windows that loudness and voicing are looked at in: 40 ms, half overlapping. */
const WINDOW = SAMPLE_RATE * 0.04;
const HOP = WINDOW / 2;
/** Quieter windows are silence: about -50 dB below full scale, root mean square. */
const SILENCE = 0.003;
/** Pitch of voices, in Hz. */
const LOWEST_PITCH = 70;
const HIGHEST_PITCH = 400;
/** How alike a window is to itself one pitch period later, 0..1, from which on it is voiced. */
const VOICED = 0.5;
/** Less voiced sound than this holds no word, in windows (20 ms each). */
const FEWEST_VOICED = 3;
/** Below, the text is unlikely to be what was said. */
const LOWEST_CONFIDENCE = 0.3;
/** What recognisers say to noise; believed only when they are sure. */
const TYPICAL_HALLUCINATION = /^(?:you|the|bye|thank you|thanks for watching|i|a|oh|so)[.!?]?$/i;
const LOWEST_CONFIDENCE_TYPICAL = 0.7;

/** What the model has read in old books: to-day, to-morrow, good-bye. */
const OLD_SPELLING = /\b(to|good)-(day|morrow|night|bye)\b/gi;

/** Returns whether there can be speech in the audio at all: something loud enough that has a voice's pitch. */
export function mayHoldSpeech(audio: Float32Array): boolean {
  let voiced = 0;
  for (let from = 0; from + WINDOW <= audio.length; from += HOP) {
    const window = audio.subarray(from, from + WINDOW);
    if (rootMeanSquare(window) < SILENCE) continue;
    if (isVoiced(window)) voiced++;
    if (voiced >= FEWEST_VOICED) return true;
  }
  return false;
}

/** Returns the text as far as it can be believed: empty for what models say to noise, music and silence. */
export function plausibleText({ text, confidence }: Transcription): string {
  const words = text
    .replace(/[♪♫�]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (!/[\p{L}\p{N}]/u.test(words)) return '';
  if (confidence < LOWEST_CONFIDENCE) return '';
  if (TYPICAL_HALLUCINATION.test(words) && confidence < LOWEST_CONFIDENCE_TYPICAL) return '';
  return words.replace(OLD_SPELLING, (_, first: string, second: string) => first + second);
}

function rootMeanSquare(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / samples.length);
}

/**
 * Returns whether a voice is in the window, by normalised autocorrelation at the periods of voices; every second sample
 * is enough for these pitches.
 */
function isVoiced(window: Float32Array): boolean {
  const shortest = Math.floor(SAMPLE_RATE / HIGHEST_PITCH);
  const longest = Math.min(Math.floor(SAMPLE_RATE / LOWEST_PITCH), Math.floor(window.length * 0.6));
  for (let period = shortest; period <= longest; period += 2) {
    let product = 0;
    let before = 0;
    let after = 0;
    for (let i = 0; i + period < window.length; i += 2) {
      const a = window[i]!;
      const b = window[i + period]!;
      product += a * b;
      before += a * a;
      after += b * b;
    }
    if (product > VOICED * Math.sqrt(before * after)) return true;
  }
  return false;
}
