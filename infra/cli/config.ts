import { resolve } from 'node:path';
import { parseEnvironment } from '@voice/shared/environment/environment';
import { httpBaseUrl, mongodbUri, optionalText } from '@voice/shared/environment/parsers';
import { z } from 'zod';

/**
 * The variables that this process reads; `docs/configuration.md` is made from them.
 * @public
 */
export const environment = z.object({
  /** The running system's data directory, which holds its address and its secrets. */
  DATA_DIR: z.string().default('./data'),
  /** For a system that this machine's launcher does not run: its address … */
  API_URL: httpBaseUrl.optional(),
  /** … its internal listener … */
  INTERNAL_URL: httpBaseUrl.optional(),
  /** … and its inter-plane secret. */
  INTERNAL_SECRET: optionalText,
  /** The store that `npm run migrate` brings up to date. Default: that of the running system. */
  MONGODB_URI: mongodbUri.optional(),
  NO_COLOR: z.string().optional(),
  PATH: z.string().default(''),
});

export interface CliConfig {
  readonly dataDir: string;
  readonly apiUrl: string | undefined;
  readonly internalUrl: string | undefined;
  readonly internalSecret: string | undefined;
  readonly mongodbUri: string | undefined;
  readonly colour: boolean;
  /** Directories of programs. */
  readonly searchPath: string;
}

/** Reads and checks the environment. Throws a `ConfigurationError` that names each wrong variable. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): CliConfig {
  const value = parseEnvironment(environment, env);
  return {
    dataDir: resolve(value.DATA_DIR),
    apiUrl: value.API_URL,
    internalUrl: value.INTERNAL_URL,
    internalSecret: value.INTERNAL_SECRET,
    mongodbUri: value.MONGODB_URI,
    colour: value.NO_COLOR === undefined && process.stdout.isTTY === true,
    searchPath: value.PATH,
  };
}
