import { chromiumPath, chromiumVariables } from '@voice/shared/chromium/environment';
import { parseEnvironment } from '@voice/shared/environment/environment';
import { z } from 'zod';

/**
 * The variables that this process reads; `docs/configuration.md` is made from them.
 * @public
 */
export const environment = z.object(chromiumVariables);

export interface ChromiumConfig {
  readonly path: string;
  /** The path is the operator's own: nothing is installed in its place. */
  readonly isGiven: boolean;
  readonly isRoot: boolean;
}

/** Reads and checks the environment. Throws a `ConfigurationError` that names each wrong variable. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): ChromiumConfig {
  const value = parseEnvironment(environment, env);
  return {
    path: chromiumPath(value),
    isGiven: value.CHROMIUM !== undefined,
    isRoot: process.getuid?.() === 0,
  };
}
