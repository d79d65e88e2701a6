import { decodeMulaw, PHONE_SAMPLE_RATE } from '@voice/shared/audio/g711';
import type { Phrase } from '../recognition/phrasebook.js';

/** One row of features each, in ms. */
const HOP_MS = 20;
const HOP = (PHONE_SAMPLE_RATE * HOP_MS) / 1000;
/** Centres of the bands whose energy is compared, in Hz. */
const BANDS = [250, 450, 700, 1000, 1400, 1900, 2500, 3200];
/** How far apart the beginnings of what was heard and of the phrase may lie, in hops. */
const MAX_SHIFT = 25;
/** Energy below this is silence to the comparison, in dB of full scale. */
const FLOOR_DB = -55;
/** A likeness below this is chance. */
const MIN_SCORE = 0.6;
/** What a phrase loses for each share of it that was not heard: the whole phrase beats one that goes on. */
const UNHEARD_PENALTY = 0.15;

/** Band energies in dB, row after row. */
interface Features {
  readonly rows: number;
  readonly values: Float32Array;
}

interface Known {
  readonly phrase: Phrase;
  readonly features: Features;
}

/** Features by phrase, for the next connection or emulator with the same phrasebook. */
const prepared = new WeakMap<Phrase, Known>();

function knownPhrase(phrase: Phrase): Known {
  const known = prepared.get(phrase) ?? { phrase, features: featuresOf(decodeMulaw(phrase.audio)) };
  prepared.set(phrase, known);
  return known;
}

/**
 * Finds known phrases by their spectrum over time: for audio whose bytes are no longer those of the phrasebook,
 * because it was resampled, coded anew or lost a frame. Also finds phrases that were cut off.
 */
export class PhraseMatcher {
  readonly #known: readonly Known[];

  constructor(phrasebook: readonly Phrase[]) {
    this.#known = phrasebook.map(knownPhrase);
  }

  /** Finds the words of the likeliest phrase, as far as they were heard; undefined when nothing is like it. */
  match(samples: Int16Array): string | undefined {
    const heard = trimmed(featuresOf(samples));
    if (heard.rows < 5) return undefined;
    let best: { known: Known; score: number; shift: number } | undefined;
    for (const known of this.#known) {
      for (let shift = -MAX_SHIFT; shift <= MAX_SHIFT; shift++) {
        const unheard = Math.max(0, known.features.rows - shift - heard.rows) / known.features.rows;
        const score = likeness(heard, known.features, shift) - UNHEARD_PENALTY * unheard;
        if (!best || score > best.score) best = { known, score, shift };
      }
    }
    if (!best || best.score < MIN_SCORE) return undefined;
    const untilMs = (best.shift + heard.rows + 3) * HOP_MS;
    // Words end softly: half of one is enough to know it.
    const words = best.known.phrase.words.filter((word) => (word.startMs + word.endMs) / 2 <= untilMs);
    return words.length === 0 ? undefined : words.map((word) => word.text).join(' ');
  }
}

/** Correlates two spectra over time, -1 to 1, with `heard` beginning at row `shift` of `known`. */
function likeness(heard: Features, known: Features, shift: number): number {
  const bands = BANDS.length;
  const count = heard.rows * bands;
  let sumA = 0;
  let sumB = 0;
  let sumAA = 0;
  let sumBB = 0;
  let sumAB = 0;
  for (let row = 0; row < heard.rows; row++) {
    const other = row + shift;
    const inside = other >= 0 && other < known.rows;
    for (let band = 0; band < bands; band++) {
      const a = heard.values[row * bands + band]!;
      const b = inside ? known.values[other * bands + band]! : FLOOR_DB;
      sumA += a;
      sumB += b;
      sumAA += a * a;
      sumBB += b * b;
      sumAB += a * b;
    }
  }
  const varianceA = sumAA - (sumA * sumA) / count;
  const varianceB = sumBB - (sumB * sumB) / count;
  if (varianceA <= 0 || varianceB <= 0) return 0;
  return (sumAB - (sumA * sumB) / count) / Math.sqrt(varianceA * varianceB);
}

/** Energies by the Goertzel algorithm, one hop at a time. */
function featuresOf(samples: Int16Array): Features {
  const rows = Math.floor(samples.length / HOP);
  const values = new Float32Array(rows * BANDS.length);
  for (let row = 0; row < rows; row++) {
    for (const [band, hz] of BANDS.entries()) {
      values[row * BANDS.length + band] = bandDb(samples, row * HOP, hz);
    }
  }
  return { rows, values };
}

function bandDb(samples: Int16Array, start: number, hz: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hz) / PHONE_SAMPLE_RATE);
  let one = 0;
  let two = 0;
  for (let i = start; i < start + HOP; i++) {
    const next = samples[i]! / 32_768 + coefficient * one - two;
    two = one;
    one = next;
  }
  const power = (one * one + two * two - coefficient * one * two) / (HOP * HOP);
  return Math.max(FLOOR_DB, 10 * Math.log10(power + 1e-12));
}

/** Removes the silence before and after. */
function trimmed({ rows, values }: Features): Features {
  const bands = BANDS.length;
  const loud = (row: number) =>
    values.subarray(row * bands, (row + 1) * bands).some((db) => db > FLOOR_DB + 10);
  let first = 0;
  let end = rows;
  while (first < end && !loud(first)) first += 1;
  while (end > first && !loud(end - 1)) end -= 1;
  return { rows: end - first, values: values.subarray(first * bands, end * bands) };
}
