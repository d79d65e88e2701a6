import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkRules, RULES_FILE } from './check-rules.js';
import { rulesCommand } from './command.js';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const PHONES = 'control-plane/src/phones/phones.test.ts';
const LIST = [
  '# Rules',
  '',
  '## 4 Endpoints',
  '',
  '- **4.1** Buys the',
  '  number.',
  '- **4.2** At \\<t>.',
  '',
];
const TESTS = ['// @rule 4.1, 4.2', "it('buys', () => {});", ''];

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rules-'));
  write(RULES_FILE, LIST);
  write(PHONES, TESTS);
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, lines: readonly string[]): void {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  writeFileSync(join(root, path), lines.join('\n'));
}
const check = () => rulesCommand(['--check'], root);
/** Where the tagged tests of a file are said to be, and by which names. */
const namesIn = (lines: readonly string[]) => {
  write(PHONES, lines);
  return checkRules(root).rules[0]!.tests.map(({ name, line }) => `${line} ${name}`);
};

describe('the rules of this repository', () => {
  const { rules, problems } = checkRules(REPOSITORY);

  it('each have a test, and each tag names a rule', () => {
    expect(problems).toEqual([]);
    expect(rules.length).toBeGreaterThan(190);
  });

  it('are shown section by section in a suite of its own', () => {
    const shown = rules.flatMap(({ id, tests }) =>
      tests.filter(({ file }) => file.includes(`/specification/section-${id[0]}-`)).map(() => id[0]),
    );
    expect(new Set(shown)).toEqual(new Set('123456789'));
  });
});

describe('the check', () => {
  it('passes where every rule has a test', () => {
    expect(check()).toEqual({
      code: 0,
      output: 'rules: 2, tests that show them: 1, in files: 1\n',
      errors: '',
    });
  });

  it('fails on a rule without a test', () => {
    write(RULES_FILE, [...LIST, '- **4.3** Releases it.']);
    expect(check()).toMatchObject({
      code: 1,
      errors: '4.3 has no test: Releases it. Tag one that shows it: // @rule 4.3\n',
    });
  });

  it('fails on a tag of a rule that there is not', () => {
    write('media-plane/src/line.test.ts', ['', '// @rule 4.12', "it('rings', () => {});"]);
    expect(check()).toMatchObject({
      code: 1,
      errors:
        'media-plane/src/line.test.ts:3: there is no rule 4.12. Add it to control-plane/RULES.md, or correct the tag.\n',
    });
  });

  it.each([
    ['beside no test', ['// @rule 4.1', 'const number = 1;'], 'no test follows the tag'],
    ['at the end of the file', ['// @rule 4.1'], 'no test follows the tag'],
    ['above a test that is skipped', ['// @rule 4.1', "it.skip('buys', () => {});"], 'is left out'],
    ['above a test that is still to do', ['// @rule 4.1', "it.todo('buys');"], 'is left out'],
    ['without a number', ['// @rule', "it('buys', () => {});"], 'the tag is mistyped'],
    ['with words behind it', ['// @rule 4.1: buys', "it('buys', () => {});"], 'the tag is mistyped'],
    ['with a slip in its word', ['// @rules 4.1', "it('buys', () => {});"], 'the tag is mistyped'],
    ['in a docstring', ['/** @rule 4.1 */', "it('buys', () => {});"], 'the tag is mistyped'],
  ])('fails on a tag %s', (_where, lines, problem) => {
    write(PHONES, [...TESTS, ...lines]);
    const { code, errors } = check();
    expect([code, errors]).toEqual([1, expect.stringMatching(`^${PHONES}:4: .*${problem}.*\n$`)]);
  });

  it.each([
    ['twice in the list', '- **4.2** Again.', '4.2 stands there twice'],
    ['in another section', '- **5.1** Signs in.', '5.1 stands in section 4 Endpoints'],
    ['without its number', '- Signs in.', 'Line 8 is no rule'],
  ])('fails on a rule that stands %s', (_where, line, problem) => {
    write(RULES_FILE, [...LIST.slice(0, -1), line]);
    expect(check()).toMatchObject({ code: 1, errors: expect.stringContaining(problem) });
  });

  it('fails on a list without rules, in which every test would pass', () => {
    write(RULES_FILE, ['# Rules']);
    write(PHONES, []);
    expect(check()).toMatchObject({ code: 1, errors: `${RULES_FILE}: There is no rule in the list.\n` });
  });
});

describe('the printed rules', () => {
  it('are each followed by their tests and files', () => {
    expect(rulesCommand([], root)).toEqual({
      code: 0,
      output: `4 Endpoints
===========

4.1  Buys the number.
  - buys
    ${PHONES}:2

4.2  At <t>.
  - buys
    ${PHONES}:2

rules: 2, tests that show them: 1, in files: 1
`,
      errors: '',
    });
  });

  it.each([
    [['4.2'], ['4.2']],
    [['4'], ['4.1', '4.2']],
    [['NUMBER'], ['4.1']],
    [['phones.test'], ['4.1', '4.2']],
  ])('are those of %j', (words, ids) => {
    const { code, output } = rulesCommand(words, root);
    expect([code, output.match(/^\d\.\d/gm)]).toEqual([0, ids]);
  });

  it('are none for a word that no rule has', () => {
    expect(rulesCommand(['bread'], root)).toEqual({ code: 1, output: '', errors: 'No rule has bread.\n' });
  });
});

describe('the name of a tagged test', () => {
  it('is in whatever quotes, on the line of the test or below it', () => {
    const names = namesIn([
      '// @rule 4.1',
      "it('it\\'s bought', () => {});",
      '// @rule 4.1',
      '// It costs money.',
      'it.concurrent(',
      '  "buys (\'a\')",',
      '// @rule 4.1',
      'test(`buys`, () => {});',
    ]);
    expect(names).toEqual(["2 it's bought", "5 buys ('a')", '8 buys']);
  });

  it('comes after the table of a test that is run for each row', () => {
    const names = namesIn([
      '// @rule 4.1',
      "it.each(['a', 'b'])('buys %s', () => {});",
      '// @rule 4.1',
      'it.each([',
      "  ['x', of('y')],",
      '] as const)(',
      "  'sells %s',",
      '// @rule 4.1',
      'it.skipIf(noPhone)("rings", () => {});',
    ]);
    expect(names).toEqual(['2 buys %s', '4 sells %s', '9 rings']);
  });

  it('is the line itself where it is no literal', () => {
    expect(namesIn(['// @rule 4.1', 'it(name, () => {});'])).toEqual(['2 it(name, () => {});']);
  });

  it('has the groups before it in which it stands, and no others', () => {
    const names = namesIn([
      "describe('another', () => {",
      "  it('rests', () => {});",
      '});',
      'describe.each([',
      "  ['a'],",
      "])('number %s', () => {",
      '  const one = 1;',
      "  describe('bought', () => {",
      '    // @rule 4.1',
      "    it('rings', () => {});",
      '  });',
      '  for (const kind of KINDS) {',
      '    // @rule 4.1',
      "    it('hangs up', () => {});",
      '  }',
      '});',
      '// @rule 4.1',
      "describe('a group', () => {});",
    ]);
    expect(names).toEqual(['10 number %s › bought › rings', '14 number %s › hangs up', '18 a group']);
  });
});
