import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { modelOf } from './model.mjs';
import { resourcesModule, typesModule } from './python.mjs';
import { resourcesFile, typesFile } from './typescript.mjs';

/** Returns what both clients have from the API's description: the text of each file, by its path in this folder's parent. */
export function generatedFiles(api) {
  const { operations, schemas } = modelOf(api);
  return {
    operations: operations.length,
    types: Object.keys(schemas).length,
    files: {
      'typescript/src/generated/types.ts': typesFile(schemas),
      'typescript/src/generated/resources.ts': resourcesFile(operations),
      'python/voice_agents/generated/types.py': typesModule(schemas),
      'python/voice_agents/generated/resources.py': resourcesModule(operations),
      'python/voice_agents/generated/__init__.py': '',
    },
  };
}

/** Returns where a generated file is. */
export const pathOf = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** Returns which files in the tree are not what they would be made anew. */
export function staleFiles(files) {
  return Object.entries(files)
    .filter(([name, text]) => !existsSync(pathOf(name)) || readFileSync(pathOf(name), 'utf8') !== text)
    .map(([name]) => name);
}
