import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { announceConnection, followConnections, INTEGRATIONS_KEY, isBackFromVendor } from './connections.js';
import { ConsentTab } from './consent-tab.js';

/** A browser's tab, by what was done to it. */
function scriptedTab() {
  const done: string[] = [];
  const tab = {
    set opener(value: unknown) {
      done.push(`opener ${String(value)}`);
    },
    location: { replace: (url: string) => void done.push(url) },
    close: () => void done.push('closed'),
  };
  return { tab, done };
}

describe('an integration that is connected in a second tab', () => {
  it('is asked for anew in the first one, which closes the second', async () => {
    const client = new QueryClient();
    client.setQueryData(INTEGRATIONS_KEY, []);
    const { tab, done } = scriptedTab();
    const consent = new ConsentTab(() => tab);
    consent.open();
    expect(consent.leadTo('https://vendor.example/authorize')).toBe(true);
    let stop = () => {};
    const connected = new Promise<void>((resolve) => {
      stop = followConnections(client, () => {
        consent.close();
        resolve();
      });
    });

    // The second tab, back from the vendor and its callback.
    expect(isBackFromVendor('?integration=slack')).toBe(true);
    announceConnection();
    await connected;
    stop();
    expect(done).toEqual(['opener null', 'https://vendor.example/authorize', 'closed']);
    expect(client.getQueryState(INTEGRATIONS_KEY)?.isInvalidated).toBe(true);
    client.clear();
  });

  it('is none where the address names none', () => expect(isBackFromVendor('?mode=live')).toBe(false));
});

describe('the tab of the consent', () => {
  it('is none where the browser blocks it: the page itself leads to the vendor', () => {
    const consent = new ConsentTab(() => null);
    consent.open();
    expect(consent.leadTo('https://vendor.example/authorize')).toBe(false);
    consent.close();
  });

  it('is left alone once it was closed', () => {
    const { tab, done } = scriptedTab();
    const consent = new ConsentTab(() => tab);
    consent.open();
    consent.close();
    consent.close();
    expect([consent.leadTo('https://vendor.example/'), done]).toEqual([false, ['closed']]);
  });
});
