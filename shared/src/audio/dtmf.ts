import { encodeMulaw, MULAW_SILENCE, PHONE_SAMPLE_RATE } from './g711.js';

/** Hz of the two tones of a key (ITU-T Q.23): its row and its column. */
export const DTMF_ROWS = [697, 770, 852, 941] as const;
export const DTMF_COLUMNS = [1209, 1336, 1477, 1633] as const;
export const DTMF_KEYS = ['123A', '456B', '789C', '*0#D'] as const;

/** Well over the 40 ms that receivers need (ITU-T Q.24), in ms; the pause between two keys is as long. */
export const DTMF_TONE_MS = 100;

/** Amplitudes of a 16-bit sample; the higher tone is 2 dB louder, for lines lose more of it. */
const ROW_AMPLITUDE = 6500;
const COLUMN_AMPLITUDE = 8200;

const TONE_SAMPLES = (DTMF_TONE_MS * PHONE_SAMPLE_RATE) / 1000;

/**
 * Synthesizes keys being pressed one after the other, as mu-law at 8,000 Hz; a pause follows each.
 * @param digits of `0-9`, `*`, `#` and `A-D`; throws for any other
 */
export function dtmfTones(digits: string): Uint8Array {
  const audio = new Uint8Array(digits.length * 2 * TONE_SAMPLES).fill(MULAW_SILENCE);
  for (const [i, digit] of [...digits].entries()) {
    encodeMulaw(toneOf(digit), audio.subarray(i * 2 * TONE_SAMPLES, (i * 2 + 1) * TONE_SAMPLES));
  }
  return audio;
}

function toneOf(digit: string): Int16Array {
  const row = DTMF_KEYS.findIndex((keys) => keys.includes(digit));
  if (row < 0 || digit === '') throw new RangeError(`${digit} is no key of a phone`);
  const column = DTMF_KEYS[row]!.indexOf(digit);
  return Int16Array.from({ length: TONE_SAMPLES }, (_, n) => {
    const phase = (2 * Math.PI * n) / PHONE_SAMPLE_RATE;
    return (
      ROW_AMPLITUDE * Math.sin(phase * DTMF_ROWS[row]!) +
      COLUMN_AMPLITUDE * Math.sin(phase * DTMF_COLUMNS[column]!)
    );
  });
}
