import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { coverageTable, suiteOf, TABLE, testExists } from './coverage-table.js';
import { RULES } from './rules.js';

describe('the table of rules and tests', () => {
  it('names only tests that there are', () => {
    const missing = RULES.flatMap(({ tests }) => tests).filter((test) => !testExists(test));
    expect(missing).toEqual([]);
  });

  it('would tell of a test that is not there', () => {
    expect(testExists({ file: 'conformance/coverage.test.ts', name: 'names no test at all' })).toBe(false);
    expect(testExists({ file: 'conformance/nowhere.test.ts', name: 'names only tests that there are' })).toBe(
      false,
    );
  });

  it('shows every section of the specification that has rules, and each rule by a test', () => {
    expect(new Set(RULES.map(({ section }) => section[0]))).toEqual(new Set([...'123456789']));
    expect(RULES.filter(({ tests }) => tests.length === 0)).toEqual([]);
    expect([...'123456789'].filter((section) => suiteOf(section) === undefined)).toEqual([]);
  });

  it('is in TESTS.md as it is here', () => {
    expect(readFileSync(TABLE, 'utf8')).toBe(coverageTable());
  });
});
