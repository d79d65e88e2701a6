import { describe, expect, it } from 'vitest';
import { confirmationPollMs, isAwaited } from './confirmation.js';

const back = { isBack: true, hasMethod: false, waitedMs: 100 };

describe('a payment method that was just set up', () => {
  it('is looked for until the provider has confirmed it', () => {
    expect(confirmationPollMs(back)).toBe(2000);
    expect(confirmationPollMs({ ...back, hasMethod: true })).toBe(false);
  });

  it('is looked for by nobody who does not come from the provider', () => {
    expect(isAwaited({ ...back, isBack: false })).toBe(false);
  });

  it('is given up after a minute and a half', () => {
    expect(isAwaited({ ...back, waitedMs: 89_000 })).toBe(true);
    expect(confirmationPollMs({ ...back, waitedMs: 91_000 })).toBe(false);
  });
});
