import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeRunFolder } from './run-folder.js';

it('a test run removes the folders of runs that were killed, and no others', () => {
  const base = mkdtempSync(join(tmpdir(), 'runs-'));
  const hoursAgo = (hours: number) => Date.now() / 1000 - hours * 3600;
  const make = (name: string, changedAt = hoursAgo(2)) => {
    const folder = join(base, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'store.db'), 'rows');
    utimesSync(folder, changedAt, changedAt);
    return folder;
  };
  const gone = spawnSync('true').pid;
  const killed = make(`voice-tests-${gone}-Ab3`);
  const others = [
    make(`voice-tests-${process.ppid}-Cd4`),
    make(`voice-tests-${gone}-Ef5`, hoursAgo(0.5)),
    make('voice-shared-1-Gh6'),
    make('voice-tests-x'),
  ];
  const mine = makeRunFolder(base);
  expect(existsSync(killed)).toBe(false);
  expect([...others, mine].filter((folder) => !existsSync(folder))).toEqual([]);
});
