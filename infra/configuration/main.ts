import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { configurationPage } from './page.js';
import { declaredVariables } from './schemas.js';
import { SECTIONS } from './words.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Returns what is built of a source file: of `plane/src/x.ts` it is `plane/dist/x.js`, of `infra/x.ts`
 * `infra/dist/x.js`.
 */
const builtOf = (file: string): string =>
  file.replace(/^([\w-]+)\/(?:src\/)?(.*)\.ts$/, (_all, top, rest) => `${top}/dist/${rest}.js`);

const declared = await declaredVariables((file) => import(pathToFileURL(join(root, builtOf(file))).href));
const path = join(root, 'docs/configuration.md');
writeFileSync(path, configurationPage(declared, SECTIONS));
process.stdout.write(`${path}: ${new Set(declared.map(({ name }) => name)).size} variables\n`);
