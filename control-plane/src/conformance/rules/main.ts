// `npm run rules`: the rules of the specification and the tests that show them.
import { fileURLToPath } from 'node:url';
import { rulesCommand } from './command.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

const { code, output, errors } = rulesCommand(process.argv.slice(2), ROOT);
process.stdout.write(output);
process.stderr.write(errors);
process.exitCode = code;
