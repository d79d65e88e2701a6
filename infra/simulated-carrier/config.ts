import { parseEnvironment } from '@voice/shared/environment/environment';
import { choice, logLevel, matching, onOff, port, secret } from '@voice/shared/environment/parsers';
import { localModelSettings, localModelVariables } from '@voice/shared/local-models/environment';
import { findLocalModels, type PiperFiles } from '@voice/shared/local-models/local-models';
import { z } from 'zod';
import { NETWORKS, type NetworkName } from './media/network.js';

/**
 * The variables that this process reads; `docs/configuration.md` is made from them.
 * @public
 */
export const environment = z.object({
  SIMULATED_CARRIER_PORT: port.default(0),
  SIMULATED_CARRIER_ACCOUNT_SID: matching(/^AC[0-9a-f]{32}$/i, 'AC and 32 hexadecimal digits'),
  SIMULATED_CARRIER_AUTH_TOKEN: secret(16),
  SIMULATED_CARRIER_MEDIA: onOff.prefault('on'),
  SIMULATED_CARRIER_NETWORK: choice(NETWORKS).default('good'),
  /** Where a neural voice may be that people can be given: `npm run models`. */
  ...localModelVariables,
  LOG_LEVEL: logLevel.default('info'),
});

export interface Config {
  readonly port: number;
  readonly accountSid: string;
  readonly authToken: string;
  readonly media: boolean;
  readonly network: NetworkName;
  readonly voiceModel: PiperFiles | undefined;
  /** Where what people say is kept. */
  readonly spokenTexts: string | undefined;
  readonly logLevel: string;
}

/** Reads and checks the environment. Throws a `ConfigurationError` that names each wrong variable. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const value = parseEnvironment(environment, env);
  return {
    port: value.SIMULATED_CARRIER_PORT,
    accountSid: value.SIMULATED_CARRIER_ACCOUNT_SID,
    authToken: value.SIMULATED_CARRIER_AUTH_TOKEN,
    media: value.SIMULATED_CARRIER_MEDIA,
    network: value.SIMULATED_CARRIER_NETWORK,
    voiceModel: findLocalModels({ ...localModelSettings(value), speechToText: 'off', endOfTurn: 'off' })
      .textToSpeech,
    spokenTexts: value.LOCAL_TTS_CACHE,
    logLevel: value.LOG_LEVEL,
  };
}
