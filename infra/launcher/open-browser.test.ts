import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findOpener, openLink, pageTo } from './open-browser.js';

const LINK = 'http://127.0.0.1:8080/dashboard#token=abc_DEF-1';
let folder: string;
let opener: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'voice-opener-'));
  opener = join(folder, 'xdg-open');
  writeFileSync(
    opener,
    `#!/bin/sh\necho "$@" > '${folder}/asked.new'\nmv '${folder}/asked.new' '${folder}/asked'\n`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the program that opens addresses', () => {
  it('is found in PATH where it can be run, on systems that have one', () => {
    const path = `:/nowhere:${folder}`;
    expect(findOpener('linux', path)).toBeUndefined();
    chmodSync(opener, 0o755);
    expect(findOpener('linux', path)).toBe(opener);
    expect(findOpener('darwin', path)).toBeUndefined();
    expect(findOpener('win32', path)).toBeUndefined();
  });

  it('is given a page that its user alone can read, not the link', async () => {
    chmodSync(opener, 0o755);
    openLink(opener, folder, LINK);
    const page = join(folder, 'open-dashboard.html');
    await expect.poll(() => existsSync(join(folder, 'asked')), { timeout: 10_000, interval: 5 }).toBe(true);
    expect(readFileSync(join(folder, 'asked'), 'utf8').trim()).toBe(page);
    expect(readFileSync(page, 'utf8')).toBe(pageTo(LINK));
    expect(statSync(page).mode & 0o077).toBe(0);
  });
});

it('the page leads to the link as it is', () => {
  expect(pageTo(LINK)).toContain(`content="0; url=${LINK}"`);
  expect(pageTo('http://x/"><script>')).not.toContain('<script>');
});
