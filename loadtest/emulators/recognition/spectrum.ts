/** Samples of a frame of 20 ms at 8 kHz. */
export const FRAME_SAMPLES = 160;
/** 200 to 3,400 Hz, where speech over any codec still is what it was. */
const FIRST_BIN = 4;
const BINS_A_BAND = 4;
const BANDS = 16;
/** Root mean square below which a frame is silence: about -47 dB of full scale. */
const SILENT_RMS = 150;

const cosines: Float32Array[] = [];
const sines: Float32Array[] = [];
for (let bin = 0; bin < BANDS * BINS_A_BAND; bin++) {
  const step = (2 * Math.PI * (FIRST_BIN + bin)) / FRAME_SAMPLES;
  const window = (n: number) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / FRAME_SAMPLES);
  cosines.push(Float32Array.from({ length: FRAME_SAMPLES }, (_, n) => window(n) * Math.cos(step * n)));
  sines.push(Float32Array.from({ length: FRAME_SAMPLES }, (_, n) => window(n) * Math.sin(step * n)));
}

/** Computes the shape of a frame's spectrum, of length 1 whatever its loudness; null for silence. */
export function spectrum(samples: Int16Array): Float32Array | null {
  let energy = 0;
  for (let n = 0; n < FRAME_SAMPLES; n++) energy += samples[n]! * samples[n]!;
  if (energy < SILENT_RMS * SILENT_RMS * FRAME_SAMPLES) return null;
  const shape = new Float32Array(BANDS);
  let mean = 0;
  for (let band = 0; band < BANDS; band++) {
    let power = 1e4;
    for (let bin = band * BINS_A_BAND; bin < (band + 1) * BINS_A_BAND; bin++) {
      let real = 0;
      let imaginary = 0;
      for (let n = 0; n < FRAME_SAMPLES; n++) {
        real += samples[n]! * cosines[bin]![n]!;
        imaginary += samples[n]! * sines[bin]![n]!;
      }
      power += real * real + imaginary * imaginary;
    }
    shape[band] = Math.log(power);
    mean += shape[band]! / BANDS;
  }
  let length = 1e-9;
  for (let band = 0; band < BANDS; band++) {
    shape[band]! -= mean;
    length += shape[band]! ** 2;
  }
  return shape.map((value) => value / Math.sqrt(length));
}

/** Compares how alike two frames sound, -1 to 1. */
export function likeness(a: Float32Array | null, b: Float32Array | null): number {
  if (a === null || b === null) return a === b ? 0.8 : -0.4;
  let product = 0;
  for (let band = 0; band < BANDS; band++) product += a[band]! * b[band]!;
  return product;
}
