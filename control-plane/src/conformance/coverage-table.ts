import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RULES, type Rule, type TestName } from './rules.js';

/** Where the tests' sources are, seen from src/conformance and from dist/conformance. */
const SOURCES = new URL('..', import.meta.url);
export const TABLE = fileURLToPath(new URL('../../TESTS.md', import.meta.url));

/** Whether the file has a test of that very name. */
export function testExists({ file, name }: TestName): boolean {
  const path = fileURLToPath(new URL(file, SOURCES));
  if (!existsSync(path)) return false;
  const source = readFileSync(path, 'utf8').replaceAll(/\(\s+/g, '(');
  const literals = [`'${name.replaceAll("'", "\\'")}'`, `"${name}"`, `\`${name}\``];
  return literals.some((literal) => source.includes(`(${literal}`));
}

/** The suite that goes through a section sentence by sentence, relative to control-plane/src. */
export function suiteOf(section: string): string | undefined {
  const suites = readdirSync(fileURLToPath(new URL('specification/', SOURCES)));
  const file = suites.find((name) => name.startsWith(`section-${section[0]}-`) && name.endsWith('.test.ts'));
  return file && `specification/${file}`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

/** TESTS.md: each rule beside the tests that show it, by the specification's sections. */
export function coverageTable(rules: readonly Rule[] = RULES): string {
  const sections = [...new Set(rules.map(({ section }) => section))];
  const parts = sections.map((section) => {
    const rows = rules
      .filter((rule) => rule.section === section)
      .map(({ rule, tests }) => {
        const shown = tests.map(({ file, name }) => `${cell(name)} ([${file}](src/${file}))`);
        return `| ${cell(rule)} | ${shown.join('<br>')} |`;
      });
    const suite = suiteOf(section);
    return `## ${section}\n\nSentence by sentence: [${suite}](src/${suite}). In depth:\n\n| Rule | Tests |\n|---|---|\n${rows.join('\n')}\n`;
  });
  return `# What shows that the specification holds

Made from \`src/conformance/rules.ts\` by \`node control-plane/dist/conformance/write-coverage.js\`; a test
fails when it names a test that is not there, or is out of date. Each section also has a suite of its own in
\`src/specification/\`, whose tests are named by the sentences that they show. \`src/conformance/\` holds every
endpoint of the OpenAPI description against other tenants, missing credentials, generated bodies and bad
input. \`npm run test:all\` runs all that speak to a whole control plane a second time, on two replicas behind
a load balancer (alone: \`npm test -- two-replicas\`); \`npm test\` those of them that a second one can break.

${parts.join('\n')}`;
}
