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
 * What is read of a vitest JSON report.
 * @typedef {{ status: string, fullName?: string, failureMessages?: string[] }} TestOfReport
 * @typedef {{ name: string, status: string, assertionResults: TestOfReport[] }} FileOfReport
 * @typedef {{ testResults: FileOfReport[] }} Report
 */

/** More failed files than this are no moment's weakness of the machine. */
const FILES_FOR_A_SECOND_TRY = 8;

/**
 * @param {string} path
 * @returns {Report | undefined} undefined when it was never written
 */
export function readReport(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/**
 * @param {Report} report
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

/** @param {FileOfReport} file */
const hasFailed = (file) => file.status === 'failed';

/**
 * Returns the files that failed, unless they are many.
 * @param {Report} report
 */
export function worthASecondTry({ testResults }) {
  const files = testResults.filter(hasFailed).map(({ name }) => name);
  return files.length <= FILES_FOR_A_SECOND_TRY ? files : [];
}

/**
 * @param {Report} report
 * @returns {string[]} file and name of each test that failed
 */
export const failedTests = ({ testResults }) =>
  testResults.filter(hasFailed).flatMap(({ name, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    return failed.length === 0 ? [name] : failed.map((test) => `${name} > ${test.fullName}`);
  });

/**
 * Counts tests that failed for a reason which is not theirs as skipped.
 * @param {Report} report
 * @param {RegExp} reason what each failure of such a test says
 * @returns {Counts}
 */
export function countTestsBut(report, reason) {
  const counts = countTests(report);
  const excused = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status, failureMessages = [] }) => status === 'failed' && failureMessages.length > 0)
    .filter(({ failureMessages = [] }) => failureMessages.every((message) => reason.test(message))).length;
  return { ...counts, failed: counts.failed - excused, skipped: counts.skipped + excused };
}

/**
 * @param {Report} first
 * @param {Counts} second counts of the files that failed at the first try
 * @returns {Counts}
 */
export const afterSecondTry = ({ testResults }, second) =>
  add(countTests({ testResults: testResults.filter((file) => !hasFailed(file)) }), second);

/** @param {Counts} counts */
export const sumLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
