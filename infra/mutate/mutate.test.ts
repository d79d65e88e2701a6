import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const mutate = (...args: string[]) => {
  const { MUTATE_DIR: _not, ...env } = process.env;
  const main = fromRoot('infra/dist/mutate/main.js');
  return spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', env, timeout: 120_000 });
};

describe('npm run mutate', () => {
  it('names the one mutant that the tests of a folder do not notice, and touches no file', () => {
    const before = readFileSync(fromRoot('infra/mutate/example/fare.ts'), 'utf8');
    const { stdout, stderr, status } = mutate('infra/mutate/example');
    expect([stdout, stderr]).toEqual([
      `infra/mutate/example/fare.ts
     3  'no_distance'  →  ''

infra/mutate/example: 18 of 19 mutants killed, 94.7 %
`,
      expect.stringContaining('infra/mutate/example/fare.test.ts: 18 of 19 mutants killed'),
    ]);
    expect(status).toBe(0);
    expect(readFileSync(fromRoot('infra/mutate/example/fare.ts'), 'utf8')).toBe(before);
  });

  it('exits with 1 where fewer are killed than asked for', () => {
    expect(mutate('infra/mutate/example', '--least', '95', '--max', '19').status).toBe(1);
  });

  it.each([
    [[], 'FOLDER is missing.'],
    [['nowhere'], 'nowhere is not there.'],
    [['infra/mutate/example', 'shared/nowhere'], 'shared/nowhere is not there.'],
    [['infra', '--max', 'all'], '--max, --minutes, --seed and --least take numbers from 0.'],
  ])('refuses %j in a sentence', (args, sentence) => {
    const { status, stderr } = mutate(...args);
    expect([status, stderr.split('\n')[0]]).toEqual([2, sentence]);
  });
});
