/** A rule of the specification. */
export interface Rule {
  /** Section and number, such as `4.12`. */
  readonly id: string;
  /** Heading of its section, such as `4 Endpoints`. */
  readonly section: string;
  readonly sentence: string;
}

export interface RuleList {
  readonly rules: readonly Rule[];
  /** What is wrong with the list itself. */
  readonly problems: readonly string[];
}

const SECTION = /^## (\d+ .+)$/;
const RULE = /^- \*\*(\d+\.\d+)\*\* (.+)$/;
const CONTINUED = /^ {2}(\S.*)$/;

/** Reads the rules from RULES.md: a heading a section, a list item a rule, indented lines that continue it. */
export function parseRules(markdown: string): RuleList {
  const rules: Rule[] = [];
  const problems: string[] = [];
  let section = '';
  for (const [n, line] of markdown.split('\n').entries()) {
    const heading = SECTION.exec(line)?.[1];
    const [, id, start] = RULE.exec(line) ?? [];
    const rest = CONTINUED.exec(line)?.[1];
    const last = rules.at(-1);
    if (heading !== undefined) section = heading;
    else if (id !== undefined) {
      if (id.split('.')[0] !== section.split(' ')[0]) problems.push(`${id} stands in section ${section}.`);
      if (rules.some((rule) => rule.id === id)) problems.push(`${id} stands there twice.`);
      rules.push({ id, section, sentence: plain(start!) });
    } else if (rest !== undefined && last !== undefined) {
      rules[rules.length - 1] = { ...last, sentence: `${last.sentence} ${plain(rest)}` };
    } else if (line.startsWith('-')) {
      problems.push(`Line ${n + 1} is no rule. Write: - **4.12** Its sentence.`);
    }
  }
  if (rules.length === 0) problems.push('There is no rule in the list.');
  return { rules, problems };
}

/** Takes off what keeps Markdown from reading `<t>` as HTML. */
const plain = (text: string): string => text.replaceAll('\\<', '<');
