// The description of the API as the npm tools read it (`npm run check` does it in one with the clients).
// With `--write FILE` it only writes the description there, for tools of other languages.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describedApi } from './described-api.js';
import { problemsOf } from './linters.js';
import { problemLine } from './problem.js';

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { write: { type: 'string' } } });
  const document = await describedApi();
  if (values.write !== undefined) {
    writeFileSync(values.write, JSON.stringify(document, null, 2));
    return 0;
  }
  const problems = await problemsOf(document);
  for (const problem of problems) process.stderr.write(`${problemLine(problem)}\n`);
  return problems.length > 0 ? 1 : 0;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exit(1);
  },
);
