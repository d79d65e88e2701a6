import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseRules, type Rule } from './rule-list.js';
import { type TaggedTest, taggedTests } from './tagged-tests.js';

/** Relative to the root. */
export const RULES_FILE = 'control-plane/RULES.md';
const TEST_FILES = ['{control-plane,media-plane,shared}/src/**/*.test.ts', '{infra,loadtest}/**/*.test.ts'];

/** A rule with the tests whose tags name it. */
export interface ShownRule extends Rule {
  readonly tests: readonly TaggedTest[];
}

export interface CheckedRules {
  readonly rules: readonly ShownRule[];
  /** Rules without a test, tags without a rule, tags without a test. */
  readonly problems: readonly string[];
}

/** Sets the rules of a repository beside the tests that show them. */
export function checkRules(root: string): CheckedRules {
  const files = globSync(TEST_FILES, { cwd: root, exclude: (path) => /\bnode_modules\b/.test(path) });
  const tagged = files.sort().map((file) => taggedTests(file, readFileSync(join(root, file), 'utf8')));
  const tests = tagged.flatMap((file) => file.tests);
  const list = parseRules(readFileSync(join(root, RULES_FILE), 'utf8'));
  const rules = list.rules.map((rule) => ({
    ...rule,
    tests: tests.filter((test) => test.rules.includes(rule.id)),
  }));
  const known = new Set(rules.map(({ id }) => id));
  const problems = [
    ...list.problems.map((problem) => `${RULES_FILE}: ${problem}`),
    ...tagged.flatMap((file) => file.problems),
    ...tests.flatMap(({ file, line, rules: ids }) =>
      ids
        .filter((id) => !known.has(id))
        .map((id) => `${file}:${line}: there is no rule ${id}. Add it to ${RULES_FILE}, or correct the tag.`),
    ),
    ...rules
      .filter((rule) => rule.tests.length === 0)
      .map(({ id, sentence }) => `${id} has no test: ${sentence} Tag one that shows it: // @rule ${id}`),
  ];
  return { rules, problems };
}
