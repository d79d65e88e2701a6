import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { carrierVariables } from '@voice/shared/catalogue/carriers';
import { vendorVariables } from '@voice/shared/catalogue/vendor-accounts';
import { TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from './commands.mjs';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const readme = read('README.md');
const table = readme.slice(readme.indexOf('<!-- environment'), readme.indexOf('## Tests'));

const CONFIGS = [
  'control-plane/src/config.ts',
  'control-plane/src/platform/settings/integrations.ts',
  'media-plane/src/config.ts',
  'infra/launcher/config.ts',
  'infra/mediasoup-worker/config.ts',
  'infra/cli/config.ts',
  'infra/models/config.ts',
  'infra/simulated-carrier/config.ts',
  // Variables that several processes read.
  'shared/src/local-models/environment.ts',
  'shared/src/mediasoup-worker/environment.ts',
];
/** Those of the accounts at vendors and carriers. */
const CATALOGUE = Object.keys({ ...vendorVariables, ...carrierVariables });
/** Between set-up and launcher; nobody else sets it. */
const PRIVATE = new Set(['SETUP_STARTED_AT']);

/** Lists the variables that a process reads: the properties of its zod schema of the environment. */
const variablesOf = (path: string) =>
  [...read(path).matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)]
    .map(([, name]) => name!)
    .filter((name) => !PRIVATE.has(name));

/** The first column of the table; a cell may hold several. */
const documented = new Set(
  table
    .split('\n')
    .flatMap((line) =>
      [...(line.split('|')[1] ?? '').matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name!),
    ),
);

describe('the README', () => {
  it.each(CONFIGS)('names every variable that %s reads', (path) => {
    const variables = variablesOf(path);
    expect(variables.length).toBeGreaterThan(0);
    expect(variables.filter((name) => !documented.has(name))).toEqual([]);
  });

  it('names every variable of an account at a vendor or a carrier', () => {
    expect(CATALOGUE.filter((name) => !documented.has(name))).toEqual([]);
  });

  it('names no variable that nobody reads', () => {
    const read = new Set([...CONFIGS.flatMap(variablesOf), ...CATALOGUE]);
    expect([...documented].filter((name) => !read.has(name))).toEqual([]);
  });

  it('names every test number', () => {
    const rows = readme.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
    for (const { number, description } of TEST_NUMBERS) {
      expect(rows).toContainEqual(['', number, description, '']);
    }
  });

  it('names only commands that there are', () => {
    for (const [, name] of readme.matchAll(/npm run (?:--silent )?([a-z:]+)/g)) {
      expect(Object.keys(COMMANDS)).toContain(name);
    }
  });
});
