/** One triangle of the bank: weights of neighbouring bins, from `first` on. */
export interface MelFilter {
  readonly first: number;
  readonly weights: Float64Array;
}

/** Slaney's mel scale: linear below 1,000 Hz, 27 steps to each factor of 6.4 above. */
const LINEAR_HZ_PER_MEL = 200 / 3;
const KNEE_HZ = 1000;
const KNEE_MEL = KNEE_HZ / LINEAR_HZ_PER_MEL;
const LOG_STEP = Math.log(6.4) / 27;

function toMel(hz: number): number {
  return hz < KNEE_HZ ? hz / LINEAR_HZ_PER_MEL : KNEE_MEL + Math.log(hz / KNEE_HZ) / LOG_STEP;
}

function toHz(mel: number): number {
  return mel < KNEE_MEL ? mel * LINEAR_HZ_PER_MEL : KNEE_HZ * Math.exp((mel - KNEE_MEL) * LOG_STEP);
}

/**
 * Computes triangular filters evenly spaced on Slaney's scale from 0 Hz to half the sampling rate, each of the same
 * area (librosa's `filters.mel`, as Whisper uses it).
 * @param bins of the spectrum, 0 Hz and half the sampling rate included
 */
export function melFilters(count: number, bins: number, sampleRate: number): MelFilter[] {
  const highest = toMel(sampleRate / 2);
  const corner = (n: number) => toHz((highest * n) / (count + 1));
  const hzPerBin = sampleRate / 2 / (bins - 1);
  return Array.from({ length: count }, (_, n) => {
    const [low, peak, high] = [corner(n), corner(n + 1), corner(n + 2)];
    const first = Math.ceil(low / hzPerBin);
    const last = Math.min(bins - 1, Math.floor(high / hzPerBin));
    const weights = Float64Array.from({ length: Math.max(0, last - first + 1) }, (__, offset) => {
      const hz = (first + offset) * hzPerBin;
      const height = Math.max(0, Math.min((hz - low) / (peak - low), (high - hz) / (high - peak)));
      return (height * 2) / (high - low);
    });
    return { first, weights };
  });
}
