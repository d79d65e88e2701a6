import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { composeProblems } from './compose-file.js';
import { dockerfileProblems } from './dockerfile.js';
import { type Manifest, manifestsOf, parseYaml, writtenManifests } from './documents.js';
import { isKustomization, schemaProblems } from './kubernetes-schemas.js';
import { writeTypedProgram } from './unknown-fields.js';

/**
 * A step of `npm run check`: holds Dockerfile, Compose file and Kubernetes objects to rules and schemas. Nothing here
 * runs them: an engine or a cluster may still find fault.
 */
const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const DOCKERFILE = 'infra/docker/Dockerfile';
const COMPOSE = 'infra/compose.yaml';
const EXAMPLE = 'infra/kubernetes/example';

/** Renders the example as `kubectl apply --kustomize` would send it; undefined where there is no kubectl. */
function rendered():
  | { readonly manifests: readonly Manifest[]; readonly problems: readonly string[] }
  | undefined {
  const { status, stdout, stderr, error } = spawnSync('kubectl', ['kustomize', join(root, EXAMPLE)], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) return undefined;
  if (status !== 0) return { manifests: [], problems: [`${EXAMPLE}: ${stderr.trim()}`] };
  return { manifests: manifestsOf(stdout, `${EXAMPLE} (rendered)`), problems: [] };
}

function unknownFields(manifests: readonly Manifest[]): string[] {
  const project = writeTypedProgram(join(root, '.setup/deployment'), manifests);
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '--project', project, '--pretty', 'false'],
    { encoding: 'utf8' },
  );
  return status === 0 ? [] : stdout.trim().split('\n');
}

function main(): number {
  const written = writtenManifests(root).filter((manifest) => !isKustomization(manifest));
  const overlay = rendered();
  if (!overlay) process.stderr.write('deployment: kubectl is not here: the overlay is NOT rendered\n');
  const manifests = [...written, ...(overlay?.manifests ?? [])];
  const problems = [
    ...dockerfileProblems(read(DOCKERFILE), (path) => existsSync(join(root, path))).map(
      (problem) => `${DOCKERFILE}: ${problem}`,
    ),
    ...parseYaml(read(COMPOSE), COMPOSE).flatMap((file) =>
      composeProblems(file).map((problem) => `${COMPOSE}: ${problem}`),
    ),
    ...(overlay?.problems ?? []),
    ...manifests.flatMap(schemaProblems),
    ...unknownFields(manifests),
  ];
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stderr.write(`deployment: ${manifests.length} Kubernetes objects, ${problems.length} problems\n`);
  return problems.length > 0 ? 1 : 0;
}

process.exitCode = main();
