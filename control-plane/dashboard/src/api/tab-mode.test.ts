import { describe, expect, it } from 'vitest';
import { TabMode } from './tab-mode.js';

function storage() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}

describe('the mode of a tab', () => {
  it('is the one that its address names, else the one that was chosen last', () => {
    const browser = storage();
    expect(new TabMode(storage(), browser).of(undefined)).toBe('sandbox');
    new TabMode(storage(), browser).choose('live');
    const opened = new TabMode(storage(), browser);
    expect([opened.of(undefined), opened.of('sandbox'), opened.of('other')]).toEqual([
      'live',
      'sandbox',
      'live',
    ]);
  });

  it('stays as it is when another tab chooses another, also after a reload', () => {
    const [browser, own] = [storage(), storage()];
    const tab = new TabMode(own, browser);
    tab.keep(tab.of(undefined));
    new TabMode(storage(), browser).choose('live');
    expect(tab.of(undefined)).toBe('sandbox');
    expect(new TabMode(own, browser).of(undefined)).toBe('sandbox');
  });
});
