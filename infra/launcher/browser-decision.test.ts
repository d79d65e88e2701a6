import { describe, expect, it } from 'vitest';
import { type BrowserFacts, opensBrowser } from './browser-decision.js';

const DESKTOP: BrowserFacts = {
  isTerminal: true,
  isWanted: true,
  platform: 'linux',
  env: { DISPLAY: ':0' },
  hasOpener: true,
  wasSignedIn: false,
};
const opens = (facts: Partial<BrowserFacts>) => opensBrowser({ ...DESKTOP, ...facts });

describe('the dashboard of a fresh installation', () => {
  it('opens by itself for a person at a desktop', () => {
    expect(opens({})).toBe(true);
    expect(opens({ env: { WAYLAND_DISPLAY: 'wayland-0' } })).toBe(true);
    expect(opens({ platform: 'darwin', env: {} })).toBe(true);
  });

  it.each<[string, Partial<BrowserFacts>]>([
    ['once somebody was signed in', { wasSignedIn: true }],
    ['where the output goes to a log', { isTerminal: false }],
    ['with OPEN_BROWSER=false', { isWanted: false }],
    ['without a program that opens addresses', { hasOpener: false }],
    ['without a display', { env: {} }],
    ['with an empty display', { env: { DISPLAY: '' } }],
    ['in CI', { env: { DISPLAY: ':0', CI: 'true' } }],
    ['by ssh without a display', { env: { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' } }],
    ['by ssh on a Mac', { platform: 'darwin', env: { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' } }],
  ])('does not open %s', (_when, facts) => {
    expect(opens(facts)).toBe(false);
  });

  it('opens by ssh where a display came along', () => {
    expect(opens({ env: { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22', DISPLAY: 'localhost:10.0' } })).toBe(
      true,
    );
  });
});
