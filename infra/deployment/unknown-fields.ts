import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from './documents.js';
import { isKustomization, KINDS, kindNameOf } from './kubernetes-schemas.js';

/**
 * Writes a program that holds every object, as a literal, against the type of its kind: the compiler then names each
 * field that the kind does not have. The schemas let those pass, and a cluster drops them in silence.
 */
export function typedProgram(manifests: readonly Manifest[]): string {
  const known = manifests.filter((manifest) => !isKustomization(manifest) && KINDS[kindNameOf(manifest)]);
  const types = new Map(known.map((manifest) => [manifest.kind, KINDS[kindNameOf(manifest)]!.module]));
  const imports = [...types].map(([kind, module]) => `import type { I${kind} } from '${module}';`);
  const literals = known.map(
    ({ file, kind, object }, n) =>
      `/** ${file} */\nexport const object${n}: I${kind} = ${JSON.stringify(object, null, 1)};`,
  );
  return `${[...imports, ...literals].join('\n')}\n`;
}

/** Writes the program with its project into a folder of the repository. @returns the project's path */
export function writeTypedProgram(folder: string, manifests: readonly Manifest[]): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'manifests.ts'), typedProgram(manifests));
  const project = join(folder, 'tsconfig.json');
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'ES2023',
    module: 'NodeNext',
    types: [],
  };
  writeFileSync(project, JSON.stringify({ compilerOptions, files: ['manifests.ts'] }));
  return project;
}
