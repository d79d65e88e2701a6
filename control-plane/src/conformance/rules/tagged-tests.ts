/** A test, or a group of tests, with the rules that its tag says it shows. */
export interface TaggedTest {
  readonly rules: readonly string[];
  /** As written in the file, behind the names of the groups around it; placeholders of tables included. */
  readonly name: string;
  readonly file: string;
  /** Of the test, from 1. */
  readonly line: number;
}

export interface TagsOfFile {
  readonly tests: readonly TaggedTest[];
  readonly problems: readonly string[];
}

const TAG = /^\s*\/\/ @rule (\d+\.\d+(?:, \d+\.\d+)*)$/;
const ALMOST_A_TAG = /^\s*(?:\/\/|\/?\*).*@rules?\b/i;
const COMMENT = /^\s*(?:\/\/|\/?\*)/;
const TEST = /^\s*(?:it|test|describe)\b/;
const LEFT_OUT = /^\s*(?:it|test|describe)(?:\.\w+)*\.(?:skip|todo)\b/;
const CURRIED = /^\s*\w+(?:\.\w+)*\.(?:each|for|runIf|skipIf)\b/;

const LITERAL = String.raw`('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\x60(?:[^\x60\\]|\\.)*\x60)`;
const NAME = new RegExp(String.raw`^[^(]*\(\s*${LITERAL}`);
const NAME_AFTER_TABLE = new RegExp(String.raw`[)\x60]\(\s*${LITERAL}`);

/** Finds the tags of a test file, as the formatter leaves it. `file` is its path from the root. */
export function taggedTests(file: string, source: string): TagsOfFile {
  const lines = source.split('\n');
  const tests: TaggedTest[] = [];
  const problems: string[] = [];
  for (const [n, line] of lines.entries()) {
    const ids = TAG.exec(line)?.[1];
    if (ids === undefined) {
      if (ALMOST_A_TAG.test(line))
        problems.push(`${file}:${n + 1}: the tag is mistyped. Write: // @rule 4.12, 5.3`);
      continue;
    }
    const at = lines.findIndex((next, m) => m > n && !COMMENT.test(next));
    const head = lines[at] ?? '';
    if (!TEST.test(head)) {
      problems.push(
        `${file}:${n + 1}: no test follows the tag. Put it on the line above its it or describe.`,
      );
    } else if (LEFT_OUT.test(head)) {
      problems.push(`${file}:${n + 1}: the tagged test is left out, so it shows nothing.`);
    } else {
      const name = [...groupsAround(lines, at), nameAt(lines, at)].join(' › ');
      tests.push({ rules: ids.split(', '), name, file, line: at + 1 });
    }
  }
  return { tests, problems };
}

/** Reads the name of the test that begins on a line; the line itself where the name is no literal. */
function nameAt(lines: readonly string[], at: number): string {
  const text = lines.slice(at).join('\n');
  const literal = (CURRIED.test(text) ? NAME_AFTER_TABLE : NAME).exec(text)?.[1];
  return literal === undefined ? lines[at]!.trim() : literal.slice(1, -1).replaceAll(/\\(.)/gs, '$1');
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Names the groups around a line, outermost first, by indentation. */
function groupsAround(lines: readonly string[], at: number): string[] {
  const names: string[] = [];
  let deepest = indentOf(lines[at]!) - 1;
  for (let n = at - 1; n >= 0 && deepest >= 0; n--) {
    const line = lines[n]!;
    const indent = indentOf(line);
    if (line.trim() === '' || indent > deepest) continue;
    // What ends a table (`])('name', () => {`) began on a line of the same indentation.
    const endsTable = /^\s*[\])}`]/.test(line);
    deepest = endsTable ? indent : indent - 1;
    if (/^\s*describe\b/.test(line)) names.unshift(nameAt(lines, n));
  }
  return names;
}
