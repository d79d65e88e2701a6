// Writes what both clients have from the API's own description: `npm run clients`. With `--check` it writes nothing
// and fails when the files in the tree are not what it would write.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { modelOf } from './model.mjs';
import { resourcesModule, typesModule } from './python.mjs';
import { resourcesFile, typesFile } from './typescript.mjs';

const check = process.argv.includes('--check');
const { describedApi } = await import('../../control-plane/dist/openapi-check/described-api.js');
const { operations, schemas } = modelOf(await describedApi());

const files = {
  'typescript/src/generated/types.ts': typesFile(schemas),
  'typescript/src/generated/resources.ts': resourcesFile(operations),
  'python/voice_agents/generated/types.py': typesModule(schemas),
  'python/voice_agents/generated/resources.py': resourcesModule(operations),
  'python/voice_agents/generated/__init__.py': '',
};

const stale = [];
for (const [name, text] of Object.entries(files)) {
  const path = fileURLToPath(new URL(`../${name}`, import.meta.url));
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
  stale.push(name);
  if (check) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

if (check && stale.length > 0) {
  console.error(
    `clients: not what the API says of itself now: ${stale.join(', ')}. Run \`npm run clients\`.`,
  );
  process.exitCode = 1;
} else {
  const said = stale.length === 0 ? 'nothing to do' : `${check ? 'stale' : 'written'}: ${stale.join(', ')}`;
  console.log(`clients: ${operations.length} operations, ${Object.keys(schemas).length} types; ${said}`);
}
process.exit();
