import { parseArgs } from 'node:util';
import { checkRules, type ShownRule } from './check-rules.js';

const USAGE = `Usage: npm run rules [-- WORD … | --check]

Prints the rules of the specification (control-plane/RULES.md), beneath each the tests that say by a tag that
they show it, and the files of these.

  WORD      only that section (4), that rule (4.12), or what has the word in its sentence, tests or files
  --check   prints only what is wrong, with exit code 1: a rule without a test, a tag without a rule
  --help    show this text
`;

export interface Outcome {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs `npm run rules` on the repository at `root`. */
export function rulesCommand(args: readonly string[], root: string): Outcome {
  let given: { values: { check?: boolean; help?: boolean }; positionals: string[] };
  try {
    given = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { check: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    return { code: 2, output: '', errors: `${(error as Error).message}\n\n${USAGE}` };
  }
  const { values, positionals: words } = given;
  if (values.help) return { code: 0, output: USAGE, errors: '' };
  const { rules, problems } = checkRules(root);
  const errors = problems.map((problem) => `${problem}\n`).join('');
  const code = problems.length > 0 ? 1 : 0;
  if (values.check) return { code, output: `${summary(rules)}\n`, errors };
  const chosen = rules.filter((rule) => words.every((word) => isAbout(rule, word)));
  if (chosen.length === 0) return { code: 1, output: '', errors: `No rule has ${words.join(' ')}.\n` };
  return { code, output: `${reportText(chosen)}\n${summary(chosen)}\n`, errors };
}

/**
 * Returns whether a word of the command line means the rule: its section, its id, or a part of what is printed of it.
 */
function isAbout({ id, sentence, tests }: ShownRule, word: string): boolean {
  if (/^\d+$/.test(word)) return id.startsWith(`${word}.`);
  if (/^\d+\.\d+$/.test(word)) return id === word;
  const printed = [sentence, ...tests.flatMap(({ name, file }) => [name, file])];
  return printed.some((text) => text.toLowerCase().includes(word.toLowerCase()));
}

function summary(rules: readonly ShownRule[]): string {
  const tests = new Set(rules.flatMap((rule) => rule.tests));
  const files = new Set([...tests].map(({ file }) => file));
  return `rules: ${rules.length}, tests that show them: ${tests.size}, in files: ${files.size}`;
}

/** Prints each rule, beneath it each of its tests and where that is. */
function reportText(rules: readonly ShownRule[]): string {
  const sections = [...new Set(rules.map(({ section }) => section))];
  const parts = sections.map((section) => {
    const inSection = rules.filter((rule) => rule.section === section);
    const items = inSection.map(({ id, sentence, tests }) =>
      [
        `${id}  ${sentence}`,
        ...tests.flatMap(({ name, file, line }) => [`  - ${name}`, `    ${file}:${line}`]),
      ].join('\n'),
    );
    return `${section}\n${'='.repeat(section.length)}\n\n${items.join('\n\n')}\n`;
  });
  return parts.join('\n');
}
