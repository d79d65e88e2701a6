import { resolve } from 'node:path';
import { z } from 'zod';

const environment = z.object({
  /** The running system's data directory: tells its address and holds its secrets. */
  DATA_DIR: z.string().default('./data'),
  /** For a system that this machine's launcher does not run: its address … */
  API_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** … its internal listener … */
  INTERNAL_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** … and its inter-plane secret. */
  INTERNAL_SECRET: z.string().optional(),
  NO_COLOR: z.string().optional(),
  PATH: z.string().default(''),
});

export interface CliConfig {
  readonly dataDir: string;
  readonly apiUrl: string | undefined;
  readonly internalUrl: string | undefined;
  readonly internalSecret: string | undefined;
  readonly colour: boolean;
  /** Directories of programs. */
  readonly searchPath: string;
}

/** Reads and checks the environment. Throws an error that names each wrong variable. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): CliConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`The environment is not right. ${problems.join('; ')}`);
  }
  const value = parsed.data;
  return {
    dataDir: resolve(value.DATA_DIR),
    apiUrl: value.API_URL?.replace(/\/$/, ''),
    internalUrl: value.INTERNAL_URL?.replace(/\/$/, ''),
    internalSecret: value.INTERNAL_SECRET,
    colour: value.NO_COLOR === undefined && process.stdout.isTTY === true,
    searchPath: value.PATH,
  };
}
