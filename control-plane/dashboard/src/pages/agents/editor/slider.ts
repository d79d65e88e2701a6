/** What a slider goes through, in ms. */
interface Slider {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/**
 * The slider of a value that may be from `min` to `max`: in steps of 10 ms, or finer where the value would else lie
 * between two, since browsers move such a one to the next without a word. Pure.
 */
export function sliderOf(value: number, [min, max]: readonly [number, number]): Slider {
  return { min, max, step: (value - min) % 10 === 0 ? 10 : 1 };
}
