// Writes what both clients have from the API's own description: `npm run clients`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describedApi } from '../../control-plane/dist/openapi-check/described-api.js';
import { generatedFiles, pathOf, staleFiles } from './generated.mjs';

const { files, operations, types } = generatedFiles(await describedApi());
const stale = staleFiles(files);
for (const name of stale) {
  mkdirSync(dirname(pathOf(name)), { recursive: true });
  writeFileSync(pathOf(name), files[name]);
}
const said = stale.length === 0 ? 'nothing to do' : `written: ${stale.join(', ')}`;
console.log(`clients: ${operations} operations, ${types} types; ${said}`);
process.exit();
