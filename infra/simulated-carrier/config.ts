import { findLocalModels, type PiperFiles } from '@voice/shared/local-models/local-models';
import { z } from 'zod';

const environment = z.object({
  SIMULATED_CARRIER_PORT: z.coerce.number().int().min(0).max(65535).default(0),
  SIMULATED_CARRIER_ACCOUNT_SID: z.string().regex(/^AC[0-9a-f]{32}$/i, 'AC and 32 hexadecimal digits'),
  SIMULATED_CARRIER_AUTH_TOKEN: z.string().min(16),
  SIMULATED_CARRIER_MEDIA: z.enum(['on', 'off']).default('on'),
  /** Where a neural voice may be that people can be given: `npm run models`. */
  MODELS_DIR: z.string().optional(),
  XDG_CACHE_HOME: z.string().optional(),
  LOCAL_TTS_MODEL: z.string().optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

export interface Config {
  readonly port: number;
  readonly accountSid: string;
  readonly authToken: string;
  readonly media: boolean;
  readonly voiceModel: PiperFiles | undefined;
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
    voiceModel: findLocalModels({
      modelsDir: data.MODELS_DIR,
      cacheHome: data.XDG_CACHE_HOME,
      speechToText: 'off',
      textToSpeech: data.LOCAL_TTS_MODEL,
    }).textToSpeech,
    logLevel: data.LOG_LEVEL,
  };
}
