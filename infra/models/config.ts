import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseEnvironment } from '@voice/shared/environment/environment';
import { httpUrl, optionalText } from '@voice/shared/environment/parsers';
import { localModelSettings, localModelVariables } from '@voice/shared/local-models/environment';
import { modelsDirectory } from '@voice/shared/local-models/local-models';
import { z } from 'zod';

/**
 * The variables that this process reads; `docs/configuration.md` is made from them.
 * @public
 */
export const environment = z.object({
  ...localModelVariables,
  /** The package index, as pip reads it. */
  PIP_INDEX_URL: httpUrl.optional(),
  /** pip's own configuration file; `/dev/null` for none. */
  PIP_CONFIG_FILE: optionalText,
});

export interface ModelsConfig {
  readonly modelsDir: string;
  readonly indexUrl: string | undefined;
  /** pip's configuration files, strongest first. */
  readonly pipConfigFiles: readonly string[];
}

/** Reads and checks the environment. Throws a `ConfigurationError` that names each wrong variable. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): ModelsConfig {
  const value = parseEnvironment(environment, env);
  return {
    modelsDir: modelsDirectory(localModelSettings(value)),
    indexUrl: value.PIP_INDEX_URL,
    pipConfigFiles: [
      ...(value.PIP_CONFIG_FILE ? [value.PIP_CONFIG_FILE] : []),
      join(homedir(), '.config/pip/pip.conf'),
      join(homedir(), '.pip/pip.conf'),
      '/etc/pip.conf',
    ],
  };
}
