import { describe, expect, it } from 'vitest';
import { sliderOf } from './slider.js';

describe('the slider of a value', () => {
  it('goes through all that the service takes', () => {
    expect(sliderOf(400, [20, 5000])).toEqual({ min: 20, max: 5000, step: 10 });
  });

  it('has the value on one of its steps', () => {
    expect(sliderOf(425, [0, 5000]).step).toBe(1);
    expect(sliderOf(0, [0, 5000]).step).toBe(10);
  });
});
