import { PROVIDER_CATALOGUE, PROVIDER_KINDS, VENDORS } from '@voice/shared/catalogue/providers';
import { findLocalModels, type LocalModelSettings } from '@voice/shared/local-models/local-models';
import { z } from 'zod';
import type { Config } from '../config.js';
import { problemOf } from './runnable.js';
import type { DefaultProviders } from './voice-config.js';

export const providerListResponse = z
  .object({
    providers: z.array(
      z.object({
        kind: z.enum(PROVIDER_KINDS),
        provider: z.string(),
        models: z.array(z.string()).nullable().describe('Beginnings of model names; null for any model.'),
        default_model: z
          .string()
          .nullable()
          .describe('What an empty model means; null where there is but one.'),
        note: z.string(),
        configured: z
          .boolean()
          .describe('Whether agents without a key of their own can use it in this installation.'),
        environment: z.array(z.string()).describe('The variables that hold its key and its address.'),
        model_in_use: z
          .string()
          .nullable()
          .describe('Of `local` recognisers and voices: the model that is installed; null without one.'),
        is_default: z
          .boolean()
          .describe('Whether an agent that names no provider of this kind gets this one.'),
      }),
    ),
  })
  .meta({ id: 'ProviderListResponse' });
export type ProviderListResponse = z.output<typeof providerListResponse>;

/** The models that `local` uses on this machine now: looked up anew, as they may be installed at any time. */
export function installedModels(settings: LocalModelSettings): LocalModels {
  const { speechToText, textToSpeech } = findLocalModels(settings);
  return { stt: speechToText?.name ?? null, tts: textToSpeech?.name ?? null };
}

/** The names of the models that `local` uses; null where it works without one. */
export interface LocalModels {
  readonly stt: string | null;
  readonly tts: string | null;
}

export interface Installation {
  readonly defaults: DefaultProviders;
  /** Which accounts there are. */
  readonly vendors: Config['vendors'];
  readonly localModels: () => LocalModels;
}

/** The provider matrix, and what this installation has of it and uses where an agent names nothing. */
export function listProviders({ defaults, vendors, localModels }: Installation): ProviderListResponse {
  const installed = localModels();
  return {
    providers: PROVIDER_CATALOGUE.map(({ kind, name, vendor, models, defaultModel, note }) => ({
      kind,
      provider: name,
      models: models === 'any' ? null : [...models],
      default_model: defaultModel === '' ? null : defaultModel,
      note,
      configured: problemOf(kind, { provider: name, model: '', params: {} }, vendors) === null,
      environment: vendor === null ? [] : [VENDORS[vendor].key, VENDORS[vendor].url],
      model_in_use: vendor === null && (kind === 'stt' || kind === 'tts') ? installed[kind] : null,
      is_default: defaults[kind].provider === name,
    })),
  };
}
