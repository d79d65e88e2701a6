import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { explain } from './install.mjs';
import { firstDifference } from './installed.mjs';
import { chosen } from './test.mjs';
import { countTests, sumLine } from './test-report.mjs';

const run = fileURLToPath(new URL('./run.mjs', import.meta.url));

describe('whether node_modules is what the lock file asks for', () => {
  const wanted = {
    '': { version: '1.0.0' },
    shared: { version: '1.0.0' },
    'node_modules/a': { version: '1.2.3' },
    'node_modules/for-windows': { version: '1.0.0', optional: true },
  };

  it('agrees when every needed package is there in its version', () => {
    expect(firstDifference(wanted, { 'node_modules/a': { version: '1.2.3' } })).toBeUndefined();
  });

  it.each([
    ['missing', {}],
    ['of another version', { 'node_modules/a': { version: '1.2.4' } }],
  ])('names a package that is %s', (_what, present) => {
    expect(firstDifference(wanted, present)).toBe('node_modules/a');
  });
});

describe('a failed installation', () => {
  it.each([
    ['npm error code ENOTFOUND', /registry could not be reached[\s\S]*Remedy: check the network/],
    ['npm error code ENOSPC', /disk is full[\s\S]*Remedy: free/],
    ['npm error code EUSAGE', /disagree[\s\S]*Remedy: /],
    ['something never seen', /its own words are above[\s\S]*Remedy: /],
  ])('“%s” is told with its remedy', (output, text) => {
    expect(explain(output).message).toMatch(text);
  });
});

describe('what a test run takes in', () => {
  const keysOf = (...args: string[]) => chosen(args).suites.map(({ key }) => key);

  it('is every suite when none is named', () => {
    expect(keysOf()).toEqual(['unit', 'two-replicas', 'end-to-end']);
    expect(keysOf('campaigns')).toEqual(keysOf());
  });

  it('is the suites that are named, and of them the files that hold the other words', () => {
    expect(keysOf('two-replicas', 'campaigns')).toEqual(['two-replicas']);
    expect(chosen(['two-replicas', 'campaigns']).filters).toEqual(['campaigns']);
  });
});

describe('the sum of a test run', () => {
  const file = (status: string, ...tests: string[]) => ({
    status,
    assertionResults: tests.map((test) => ({ status: test })),
  });

  it('counts passed, failed and skipped tests', () => {
    const report = { testResults: [file('failed', 'passed', 'failed'), file('passed', 'pending', 'passed')] };
    expect(sumLine(countTests(report))).toBe('2 passed, 1 failed, 1 skipped');
  });

  it('counts a file that does not load as a failure', () => {
    expect(sumLine(countTests({ testResults: [file('failed')] }))).toBe('0 passed, 1 failed');
  });
});

describe('the command', () => {
  it('lists all commands when asked for help', () => {
    const { status, stderr } = spawnSync(process.execPath, [run, '--help'], { encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stderr).toContain('npm start');
  });

  it('is refused when there is none of that name', () => {
    const { status, stderr } = spawnSync(process.execPath, [run, 'constructor'], { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toContain('there is no command “constructor”');
  });
});
