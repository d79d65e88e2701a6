import { homedir } from 'node:os';
import { join } from 'node:path';
import { modelsDirectory } from '@voice/shared/local-models/local-models';
import { z } from 'zod';

const environment = z.object({
  /** Where models are kept; default: a cache of the user, shared by all clones. */
  MODELS_DIR: z.string().optional(),
  /** Base of the default (XDG Base Directory Specification). */
  XDG_CACHE_HOME: z.string().optional(),
  /** The package index, as pip reads it. */
  PIP_INDEX_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** pip's own configuration file; `/dev/null` for none. */
  PIP_CONFIG_FILE: z.string().optional(),
});

export interface ModelsConfig {
  readonly modelsDir: string;
  readonly indexUrl: string | undefined;
  /** pip's configuration files, strongest first. */
  readonly pipConfigFiles: readonly string[];
}

/** Reads and checks the environment. Throws an error that names each wrong variable. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): ModelsConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`The environment is not right. ${problems.join('; ')}`);
  }
  const value = parsed.data;
  return {
    modelsDir: modelsDirectory({ modelsDir: value.MODELS_DIR, cacheHome: value.XDG_CACHE_HOME }),
    indexUrl: value.PIP_INDEX_URL,
    pipConfigFiles: [
      ...(value.PIP_CONFIG_FILE ? [value.PIP_CONFIG_FILE] : []),
      join(homedir(), '.config/pip/pip.conf'),
      join(homedir(), '.pip/pip.conf'),
      '/etc/pip.conf',
    ],
  };
}
