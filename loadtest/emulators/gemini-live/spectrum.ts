/** Hop and window of the analysis, in samples at 8,000 Hz: 10 and 20 ms. */
export const HOP = 80;
const WINDOW = 160;
export const HOP_MS = 10;
const BANDS = 24;
const LOWEST_HZ = 150;
const STEP_HZ = 140;
/** What counts as silence, in dB of full scale. */
const FLOOR_DB = -60;

const COEFFICIENTS = Float64Array.from({ length: BANDS }, (_, i) => {
  return 2 * Math.cos((2 * Math.PI * (LOWEST_HZ + i * STEP_HZ)) / 8000);
});
const HANN = Float64Array.from({ length: WINDOW }, (_, i) => {
  return (0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / WINDOW)) / 32768;
});

/** The loudness of 24 pitches of speech in 20 ms, in dB, never below the floor. */
export type Spectrum = Float32Array;

/** Computes the spectrum of one hop: alike for the same speech also after codecs and resampling. */
export function spectrumAt(samples: Int16Array, offset: number): Spectrum {
  const spectrum = new Float32Array(BANDS);
  const windowed = new Float64Array(WINDOW);
  for (let i = 0; i < WINDOW; i++) windowed[i] = (samples[offset + i] ?? 0) * HANN[i]!;
  for (let band = 0; band < BANDS; band++) {
    const power = goertzel(windowed, COEFFICIENTS[band]!);
    // 20 ms of a full-scale tone have the power (WINDOW / 4)^2 under a Hann window.
    spectrum[band] = Math.max(FLOOR_DB, 10 * Math.log10(power / (WINDOW / 4) ** 2 + 1e-12));
  }
  return spectrum;
}

function goertzel(windowed: Float64Array, coefficient: number): number {
  let before = 0;
  let last = 0;
  for (let i = 0; i < windowed.length; i++) {
    const next = windowed[i]! + coefficient * last - before;
    before = last;
    last = next;
  }
  return before * before + last * last - coefficient * before * last;
}

/** Computes how different two moments sound, in dB. */
export function difference(a: Spectrum, b: Spectrum): number {
  let sum = 0;
  for (let band = 0; band < BANDS; band++) sum += Math.min(20, Math.abs(a[band]! - b[band]!));
  return sum / BANDS;
}

export function isLoud(spectrum: Spectrum): boolean {
  for (let band = 0; band < BANDS; band++) if (spectrum[band]! > -48) return true;
  return false;
}

/** Computes the spectra of a whole recording at 8,000 Hz, one a hop. */
export function spectraOf(samples: Int16Array): Spectrum[] {
  const spectra: Spectrum[] = [];
  for (let offset = 0; offset < samples.length; offset += HOP) spectra.push(spectrumAt(samples, offset));
  return spectra;
}
