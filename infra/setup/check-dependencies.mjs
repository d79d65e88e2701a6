import { checkDependencies } from './dependencies.mjs';
import { ROOT } from './paths.mjs';

const { files, violations } = await checkDependencies(ROOT);
for (const violation of violations) process.stderr.write(`${violation}\n`);
process.stderr.write(`${violations.length} of the imports in ${files} files break a rule\n`);
process.exitCode = violations.length > 0 ? 1 : 0;
