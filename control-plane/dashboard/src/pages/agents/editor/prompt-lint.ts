export interface PromptProblem {
  /** Positions in the text. */
  readonly from: number;
  readonly to: number;
  /** What is wrong, then what to do. */
  readonly message: string;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** The variables of a prompt, each once, in the order in which they come first. */
export function variablesOf(...texts: readonly string[]): readonly string[] {
  const names = texts.flatMap((text) =>
    [...text.matchAll(/\{\{\s*(.*?)\s*\}\}/g)].map(([, name]) => name ?? ''),
  );
  return [...new Set(names.filter((name) => NAME.test(name)))];
}

/** What in a prompt will not do what its author thinks. */
export function promptProblems(text: string): readonly PromptProblem[] {
  const problems: PromptProblem[] = [];
  for (const match of text.matchAll(/\{\{(.*?)(\}\}|\n|$)/g)) {
    const [whole, inner = '', end] = match;
    const from = match.index;
    if (end !== '}}') {
      problems.push({ from, to: from + 2, message: 'This variable is not closed. End it with }}.' });
    } else if (!NAME.test(inner.trim())) {
      problems.push({
        from,
        to: from + whole.length,
        message:
          'No variable has such a name. Use letters, digits and _, beginning with a letter, at most 64.',
      });
    }
  }
  for (const match of text.matchAll(/(?<!\{)\{([A-Za-z_][A-Za-z0-9_]*)\}(?!\})/g)) {
    problems.push({
      from: match.index,
      to: match.index + match[0].length,
      message: `This is said as it is written. For the variable write {{${match[1]}}}.`,
    });
  }
  return problems.sort((a, b) => a.from - b.from);
}
