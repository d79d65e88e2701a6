import { z } from 'zod';

const environment = z.object({
  SIMULATED_CARRIER_PORT: z.coerce.number().int().min(0).max(65535).default(0),
  SIMULATED_CARRIER_ACCOUNT_SID: z.string().regex(/^AC[0-9a-f]{32}$/i, 'AC and 32 hexadecimal digits'),
  SIMULATED_CARRIER_AUTH_TOKEN: z.string().min(16),
  SIMULATED_CARRIER_MEDIA: z.enum(['on', 'off']).default('on'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

export interface Config {
  readonly port: number;
  readonly accountSid: string;
  readonly authToken: string;
  readonly media: boolean;
  readonly logLevel: string;
}

/** Reads the environment; throws an error that names the variable. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const parsed = environment.safeParse(env);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(issues.join('; '));
  }
  const { data } = parsed;
  return {
    port: data.SIMULATED_CARRIER_PORT,
    accountSid: data.SIMULATED_CARRIER_ACCOUNT_SID,
    authToken: data.SIMULATED_CARRIER_AUTH_TOKEN,
    media: data.SIMULATED_CARRIER_MEDIA === 'on',
    logLevel: data.LOG_LEVEL,
  };
}
