import { describe, expect, it } from 'vitest';
import { TOTAL_CAP, totalOf } from './totals.js';

describe("a list's total", () => {
  it('is not counted where it is not asked for', async () => {
    await expect(totalOf(false, () => Promise.reject(new Error('counted')))).resolves.toEqual({});
  });

  it('is exact up to the cap', async () => {
    expect(await totalOf(true, async () => TOTAL_CAP)).toEqual({ total: TOTAL_CAP, total_is_capped: false });
  });

  it('is labelled where counting stopped', async () => {
    const limits: number[] = [];
    const total = await totalOf(true, async (limit) => {
      limits.push(limit);
      return limit;
    });
    expect([total, limits]).toEqual([{ total: TOTAL_CAP, total_is_capped: true }, [TOTAL_CAP + 1]]);
  });
});
