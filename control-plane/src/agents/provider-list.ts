import {
  type CatalogueProvider,
  canonicalFamilies,
  PROVIDER_CATALOGUE,
  PROVIDER_KINDS,
  VENDORS,
} from '@voice/shared/catalogue/providers';
import { PRICE_UNITS } from '@voice/shared/catalogue/tables';
import { findLocalModels, type LocalModelSettings } from '@voice/shared/local-models/local-models';
import { z } from 'zod';
import type { Config } from '../config.js';
import { WHOLE_LIST, wholeListFields } from '../platform/http/whole-list.js';
import { problemOf } from './runnable.js';
import { defaultProviders } from './voice-config.js';

const jsonSchema = z.record(z.string(), z.unknown());

const knownModel = z
  .object({
    family: z.string().describe('The beginning of the names; empty: the only model.'),
    capabilities: z.array(z.string()).describe('What the models can do beyond the least.'),
    languages: z
      .array(z.string())
      .nullable()
      .describe('ISO 639 codes, as the vendor lists them; null where it names none.'),
    params_schema: jsonSchema.describe('What `params` may hold for these models, as a JSON Schema.'),
  })
  .meta({ title: 'KnownModel' });

const listPrice = z
  .object({
    as_of: z.string().describe('The month in which the list was read.'),
    source_url: z.string().describe('The list.'),
    unit: z.string().describe('What the prices are of.'),
  })
  .meta({ title: 'ListPrice' });

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
        known_models: z
          .array(knownModel)
          .describe('What is known of the models; where any model is taken, not all that there are.'),
        params_schema: jsonSchema.describe(
          'What `params` may hold, as a JSON Schema: for most models. Others have no effect.',
        ),
        list_price: listPrice
          .nullable()
          .describe('The price list by which usage is charged; null for what costs nothing.'),
        note: z.string(),
        configured: z
          .boolean()
          .describe('Whether agents of yours without a key of their own can use it in this installation.'),
        account: z
          .enum(['tenant', 'installation'])
          .nullable()
          .describe('Whose key they then use; null where there is none, or none is needed.'),
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
    ...wholeListFields,
  })
  .meta({ id: 'ProviderListResponse' });
export type ProviderListResponse = z.output<typeof providerListResponse>;

/** Returns the models that `local` uses on this machine now: looked up anew, as they may be installed at any time. */
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
  /** Which accounts there are. */
  readonly vendors: Config['vendors'];
  readonly localModels: () => LocalModels;
}

/**
 * Lists the provider matrix, and what of it a tenant can use here and gets where an agent names nothing.
 * @param ownVendors the vendors that the tenant has a key of its own for
 */
export function listProviders(
  { vendors, localModels }: Installation,
  ownVendors: readonly string[],
): ProviderListResponse {
  const installed = localModels();
  const defaults = defaultProviders(vendors, ownVendors);
  return {
    providers: PROVIDER_CATALOGUE.map(({ kind, name, vendor, defaultModel, note, ...entry }) => ({
      kind,
      provider: name,
      models: canonicalFamilies({ ...entry, defaultModel }),
      default_model: defaultModel === '' ? null : defaultModel,
      ...describedEntry(entry),
      list_price: entry.price && {
        as_of: entry.price.asOf,
        source_url: entry.price.source,
        unit: PRICE_UNITS[kind],
      },
      note,
      configured: problemOf(kind, { provider: name, model: '', params: {} }, vendors, ownVendors) === null,
      account: accountOf(vendor, vendors, ownVendors),
      environment: vendor === null ? [] : [VENDORS[vendor].apiKey, VENDORS[vendor].url],
      model_in_use: vendor === null && (kind === 'stt' || kind === 'tts') ? installed[kind] : null,
      is_default: defaults[kind].provider === name,
    })),
    ...WHOLE_LIST,
  };
}

function accountOf(
  vendor: CatalogueProvider['vendor'],
  vendors: Config['vendors'],
  ownVendors: readonly string[],
): 'tenant' | 'installation' | null {
  if (vendor === null) return null;
  if (ownVendors.includes(vendor)) return 'tenant';
  return vendors[vendor].apiKey === undefined ? null : 'installation';
}

/** Describes the models that are known by name, and what can be set. */
function describedEntry({ models, params }: Pick<CatalogueProvider, 'models' | 'params'>) {
  return {
    known_models: models.map(({ family, capabilities, languages, params: own }) => ({
      family,
      capabilities: [...capabilities],
      languages: languages === 'unlisted' ? null : [...languages],
      params_schema: schemaOf(own ?? params),
    })),
    params_schema: schemaOf(params),
  };
}

const schemas = new WeakMap<z.ZodType, Record<string, unknown>>();

/** Returns the JSON Schema of what a client may give; the same for every request. */
function schemaOf(params: z.ZodType): Record<string, unknown> {
  const known = schemas.get(params);
  if (known) return known;
  const { $schema: _draft, ...schema } = z.toJSONSchema(params, { io: 'input' });
  schemas.set(params, schema);
  return schema;
}
