import { DTMF_COLUMNS, DTMF_KEYS, DTMF_ROWS } from '../dtmf.js';
import { decodeMulaw, PHONE_SAMPLE_RATE } from '../g711.js';

/** Samples that are judged together: 20 ms. */
const WINDOW = 160;
/** The two tones hold at least this share of a window's energy. */
const PURITY = 0.8;
/** Mean energy of a sample below which there is silence. */
const SILENCE = 10_000;

/**
 * Returns which keys a receiver hears in mu-law audio at 8,000 Hz: a key counts after 40 ms, and again after a pause
 * (ITU-T Q.24).
 */
export function heardKeys(audio: Uint8Array): string {
  const samples = decodeMulaw(audio);
  let keys = '';
  let last: string | undefined;
  let counted: string | undefined;
  for (let at = 0; at + WINDOW <= samples.length; at += WINDOW) {
    const key = keyIn(samples.subarray(at, at + WINDOW));
    if (key === undefined) counted = undefined;
    else if (key === last && key !== counted) {
      keys += key;
      counted = key;
    }
    last = key;
  }
  return keys;
}

function keyIn(window: Int16Array): string | undefined {
  const energy = window.reduce((sum, sample) => sum + sample * sample, 0);
  if (energy / WINDOW < SILENCE) return undefined;
  const rows = DTMF_ROWS.map((hz) => power(window, hz));
  const columns = DTMF_COLUMNS.map((hz) => power(window, hz));
  const [row, column] = [Math.max(...rows), Math.max(...columns)];
  if (row + column < PURITY * energy || Math.min(row, column) < 0.2 * Math.max(row, column)) return undefined;
  return DTMF_KEYS[rows.indexOf(row)]?.[columns.indexOf(column)];
}

/** Returns how much of the window's energy is in a tone of `hz` (Goertzel's algorithm). */
function power(window: Int16Array, hz: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hz) / PHONE_SAMPLE_RATE);
  let [before, last] = [0, 0];
  for (const sample of window) [before, last] = [last, sample + coefficient * last - before];
  return (2 * (last * last + before * before - coefficient * last * before)) / window.length;
}
