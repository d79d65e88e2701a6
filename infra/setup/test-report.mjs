import { existsSync, readFileSync } from 'node:fs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @type {Counts} */
export const NOTHING = { passed: 0, failed: 0, skipped: 0 };

/**
 * @param {Counts} a
 * @param {Counts} b
 * @returns {Counts}
 */
export const add = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
});

/**
 * Counts of a vitest JSON report; a report that was never written is one failure.
 * @param {string} path
 * @returns {Counts}
 */
export function readReport(path) {
  if (!existsSync(path)) return { ...NOTHING, failed: 1 };
  return countTests(JSON.parse(readFileSync(path, 'utf8')));
}

/**
 * @param {{ testResults: { status: string, assertionResults: { status: string }[] }[] }} report
 * @returns {Counts}
 */
export function countTests({ testResults }) {
  let counts = NOTHING;
  for (const { status, assertionResults } of testResults) {
    const failed = assertionResults.filter((test) => test.status === 'failed').length;
    const passed = assertionResults.filter((test) => test.status === 'passed').length;
    counts = add(counts, {
      passed,
      // A file that failed outside its tests (it did not load, a hook broke) is a failure too.
      failed: status === 'failed' && failed === 0 ? 1 : failed,
      skipped: assertionResults.length - passed - failed,
    });
  }
  return counts;
}

/** @param {Counts} counts */
export const sumLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
