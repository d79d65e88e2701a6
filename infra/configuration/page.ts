import type { DeclaredVariable } from './schemas.js';
import type { Section, VariableWords } from './section.js';

const HEAD = `# Configuration

Environment variables configure every process. Each process reads its own in its \`config.ts\` and nowhere else. A wrong value stops the start with an error that names the variable.

\`npm start\` hands its environment on to the processes and fills in what they need from each other. A process that you run by yourself needs the variables marked **required**.

This page is made from the schemas: change the schema or \`infra/configuration/words.ts\`, then run \`npm run docs\`.
`;

/** Makes the page. Throws an error that names each variable without words, and each word without a variable. */
export function configurationPage(
  declared: readonly DeclaredVariable[],
  sections: readonly Section[],
): string {
  const names = new Set(declared.map(({ name }) => name));
  const worded = sections.flatMap(({ variables }) => Object.keys(variables));
  const problems = [
    ...[...names].filter((name) => !worded.includes(name)).map((name) => `${name}: has no words`),
    ...worded.filter((name) => !names.has(name)).map((name) => `${name}: no process reads it`),
    ...worded.filter((name, at) => worded.indexOf(name) !== at).map((name) => `${name}: has words twice`),
  ];
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const tables = sections.map(({ title, variables }) => {
    const rows = Object.entries(variables).map(([name, words]) =>
      row(
        name,
        typeof words === 'string' ? { meaning: words } : words,
        declared.filter((entry) => entry.name === name),
      ),
    );
    return `\n## ${title}\n\n| Variable | Default | Meaning | Read by |\n| --- | --- | --- | --- |\n${rows.join('')}`;
  });
  return HEAD + tables.join('');
}

function row(name: string, words: VariableWords, declared: readonly DeclaredVariable[]): string {
  const readBy = declared.map(({ process, isRequired }) =>
    isRequired ? `${process} (**required**)` : process,
  );
  const cells = [`\`${name}\``, defaultOf(name, words, declared), words.meaning, readBy.join(', ')];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
}

function defaultOf(name: string, words: VariableWords, declared: readonly DeclaredVariable[]): string {
  const held = new Set(declared.flatMap((entry) => (entry.default === undefined ? [] : [entry.default])));
  if (words.isMachineDependent) return words.default ?? '–';
  if (held.size === 0) return words.default ?? '–';
  if (words.default !== undefined) throw new Error(`${name}: the schema holds the default; leave it out`);
  return [...held].map((value) => (value === '' ? 'none' : `\`${value}\``)).join(', ');
}
