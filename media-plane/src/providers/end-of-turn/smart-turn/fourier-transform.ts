/** The radices of 400 = 4 · 4 · 5 · 5, the window of the features. */
const RADICES = [4, 4, 5, 5] as const;
/** Points of the transform. */
export const TRANSFORM_POINTS = RADICES.reduce((product, radix) => product * radix, 1);

/** Cosines and sines of a fifth and of two fifths of a turn. */
const [C1, S1] = [Math.cos((2 * Math.PI) / 5), Math.sin((2 * Math.PI) / 5)];
const [C2, S2] = [Math.cos((4 * Math.PI) / 5), Math.sin((4 * Math.PI) / 5)];

/**
 * Computes the discrete Fourier transform of 400 complex points, a number that powers of two do not reach: decimation
 * in time with the radices 4 and 5 (Cooley and Tukey, 1965). Tables are made once; a transform allocates nothing.
 */
export class FourierTransform {
  readonly #cos = new Float64Array(TRANSFORM_POINTS);
  readonly #sin = new Float64Array(TRANSFORM_POINTS);
  /** Where each point of the input goes before the first stage. */
  readonly #order = new Uint16Array(TRANSFORM_POINTS);
  readonly #re = new Float64Array(TRANSFORM_POINTS);
  readonly #im = new Float64Array(TRANSFORM_POINTS);

  constructor() {
    for (let n = 0; n < TRANSFORM_POINTS; n++) {
      this.#cos[n] = Math.cos((2 * Math.PI * n) / TRANSFORM_POINTS);
      this.#sin[n] = -Math.sin((2 * Math.PI * n) / TRANSFORM_POINTS);
      this.#order[n] = reversed(n);
    }
  }

  /** Transforms in place. */
  run(re: Float64Array, im: Float64Array): void {
    for (let n = 0; n < TRANSFORM_POINTS; n++) {
      const place = this.#order[n]!;
      this.#re[place] = re[n]!;
      this.#im[place] = im[n]!;
    }
    let length = 1;
    for (const radix of RADICES) {
      if (radix === 4) this.#joinFour(length);
      else this.#joinFive(length);
      length *= radix;
    }
    re.set(this.#re);
    im.set(this.#im);
  }

  /** Joins each four neighbouring transforms of `length` points into one. */
  #joinFour(length: number): void {
    const re = this.#re;
    const im = this.#im;
    const cos = this.#cos;
    const sin = this.#sin;
    const joined = 4 * length;
    const turn = TRANSFORM_POINTS / joined;
    for (let start = 0; start < TRANSFORM_POINTS; start += joined) {
      for (let k = 0; k < length; k++) {
        const p0 = start + k;
        const p1 = p0 + length;
        const p2 = p1 + length;
        const p3 = p2 + length;
        const w = k * turn;
        const r0 = re[p0]!;
        const i0 = im[p0]!;
        const r1 = re[p1]! * cos[w]! - im[p1]! * sin[w]!;
        const i1 = re[p1]! * sin[w]! + im[p1]! * cos[w]!;
        const r2 = re[p2]! * cos[2 * w]! - im[p2]! * sin[2 * w]!;
        const i2 = re[p2]! * sin[2 * w]! + im[p2]! * cos[2 * w]!;
        const r3 = re[p3]! * cos[3 * w]! - im[p3]! * sin[3 * w]!;
        const i3 = re[p3]! * sin[3 * w]! + im[p3]! * cos[3 * w]!;
        re[p0] = r0 + r2 + (r1 + r3);
        im[p0] = i0 + i2 + (i1 + i3);
        re[p2] = r0 + r2 - (r1 + r3);
        im[p2] = i0 + i2 - (i1 + i3);
        re[p1] = r0 - r2 + (i1 - i3);
        im[p1] = i0 - i2 - (r1 - r3);
        re[p3] = r0 - r2 - (i1 - i3);
        im[p3] = i0 - i2 + (r1 - r3);
      }
    }
  }

  /** Joins each five neighbouring transforms of `length` points into one. */
  #joinFive(length: number): void {
    const re = this.#re;
    const im = this.#im;
    const cos = this.#cos;
    const sin = this.#sin;
    const joined = 5 * length;
    const turn = TRANSFORM_POINTS / joined;
    for (let start = 0; start < TRANSFORM_POINTS; start += joined) {
      for (let k = 0; k < length; k++) {
        const p0 = start + k;
        const p1 = p0 + length;
        const p2 = p1 + length;
        const p3 = p2 + length;
        const p4 = p3 + length;
        const w = k * turn;
        const r0 = re[p0]!;
        const i0 = im[p0]!;
        const r1 = re[p1]! * cos[w]! - im[p1]! * sin[w]!;
        const i1 = re[p1]! * sin[w]! + im[p1]! * cos[w]!;
        const r2 = re[p2]! * cos[2 * w]! - im[p2]! * sin[2 * w]!;
        const i2 = re[p2]! * sin[2 * w]! + im[p2]! * cos[2 * w]!;
        const r3 = re[p3]! * cos[3 * w]! - im[p3]! * sin[3 * w]!;
        const i3 = re[p3]! * sin[3 * w]! + im[p3]! * cos[3 * w]!;
        const r4 = re[p4]! * cos[4 * w]! - im[p4]! * sin[4 * w]!;
        const i4 = re[p4]! * sin[4 * w]! + im[p4]! * cos[4 * w]!;
        // Pairs of opposite legs: their sums turn by cosines, their differences by sines.
        const a1 = r1 + r4;
        const b1 = i1 + i4;
        const a2 = r2 + r3;
        const b2 = i2 + i3;
        const c1 = r1 - r4;
        const d1 = i1 - i4;
        const c2 = r2 - r3;
        const d2 = i2 - i3;
        const e1 = r0 + C1 * a1 + C2 * a2;
        const f1 = i0 + C1 * b1 + C2 * b2;
        const e2 = r0 + C2 * a1 + C1 * a2;
        const f2 = i0 + C2 * b1 + C1 * b2;
        const g1 = S1 * c1 + S2 * c2;
        const h1 = S1 * d1 + S2 * d2;
        const g2 = S2 * c1 - S1 * c2;
        const h2 = S2 * d1 - S1 * d2;
        re[p0] = r0 + a1 + a2;
        im[p0] = i0 + b1 + b2;
        re[p1] = e1 + h1;
        im[p1] = f1 - g1;
        re[p4] = e1 - h1;
        im[p4] = f1 + g1;
        re[p2] = e2 + h2;
        im[p2] = f2 - g2;
        re[p3] = e2 - h2;
        im[p3] = f2 + g2;
      }
    }
  }
}

/** Returns the place of a point before the first stage: its digits in the mixed radices, the other way round. */
function reversed(point: number): number {
  let place = 0;
  let rest = point;
  for (let n = RADICES.length - 1; n >= 0; n--) {
    const radix = RADICES[n]!;
    place = place * radix + (rest % radix);
    rest = Math.floor(rest / radix);
  }
  return place;
}
