import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ProcessSpec } from './child-process.js';
import type { Topology } from './topology.js';

/** What the planes' `config.js` have in common: it throws an error that names each wrong variable. */
interface ConfigModule {
  readConfig(env: NodeJS.ProcessEnv): unknown;
}

/** Stands for what is known only when a process runs. */
const LATER = { port: 1, mongodbUri: 'mongodb://127.0.0.1:1', carrierUrl: 'http://127.0.0.1:1' };

const CONFIGS: readonly { readonly entry: string; readonly specOf: (topology: Topology) => ProcessSpec }[] = [
  { entry: 'control-plane/dist/config.js', specOf: (topology) => topology.controlPlane(1, LATER) },
  {
    entry: 'media-plane/dist/config.js',
    specOf: (topology) => topology.worker(1, { controlPlaneUrl: 'http://127.0.0.1:1' }),
  },
  { entry: 'infra/dist/simulated-carrier/config.js', specOf: (topology) => topology.carrier() },
];

/** Checks the variables of all processes as they will read them, before any is started. Throws what is wrong. */
export async function checkEnvironment(root: string, topology: Topology): Promise<void> {
  const problems: string[] = [];
  for (const { entry, specOf } of CONFIGS) {
    const { env } = specOf(topology);
    const { readConfig } = (await import(pathToFileURL(join(root, entry)).href)) as ConfigModule;
    try {
      readConfig(env);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (problems.length > 0) {
    const said = [...new Set(problems.flatMap((problem) => problem.split('\n')))].map((line) => `  ${line}`);
    throw new Error(`Nothing was started: the environment is not right.\n${said.join('\n')}`);
  }
}
