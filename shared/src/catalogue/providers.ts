import type { z } from 'zod';
import type { CatalogueModel, CataloguePrice, CatalogueProvider, ProviderKind } from './provider-entry.js';
import { anthropicLanguageModel } from './vendors/anthropic.js';
import { assemblyAiSpeechToText } from './vendors/assemblyai.js';
import { cartesiaTextToSpeech } from './vendors/cartesia.js';
import { deepgramSpeechToText, deepgramTextToSpeech } from './vendors/deepgram.js';
import { elevenLabsTextToSpeech } from './vendors/elevenlabs.js';
import { geminiAnalysisPrice, geminiLive } from './vendors/gemini.js';
import { localLanguageModel, localSpeechToText, localTextToSpeech } from './vendors/local.js';
import {
  openAiLanguageModel,
  openAiRealtime,
  openAiSpeechToText,
  openAiTextToSpeech,
} from './vendors/openai.js';

export { type CatalogueProvider, PROVIDER_KINDS, type ProviderKind } from './provider-entry.js';
export { VENDOR_NAMES, VENDORS, type Vendor } from './vendor-accounts.js';

/**
 * The providers that the media workers can run, one entry a kind and vendor. The API's matrix, the checks of
 * `voice_config`, the defaults, the prices, the configuration and the workers' registry are made from it. An entry
 * appears with its adapter.
 */
const ENTRIES = [
  deepgramSpeechToText,
  assemblyAiSpeechToText,
  openAiSpeechToText,
  localSpeechToText,
  openAiLanguageModel,
  anthropicLanguageModel,
  localLanguageModel,
  elevenLabsTextToSpeech,
  cartesiaTextToSpeech,
  deepgramTextToSpeech,
  openAiTextToSpeech,
  localTextToSpeech,
  openAiRealtime,
  geminiLive,
] as const;
export const PROVIDER_CATALOGUE: readonly CatalogueProvider[] = ENTRIES;

/** The names of a kind's providers, for what must have one thing for each. */
export type ProviderName<Kind extends ProviderKind> = Extract<
  (typeof ENTRIES)[number],
  { readonly kind: Kind }
>['name'];

/** All list prices: the entries' own, and those of what is used beside them. */
export const LIST_PRICES: readonly CataloguePrice[] = [
  ...PROVIDER_CATALOGUE.flatMap((entry) => (entry.price === null ? [] : [entry as CataloguePrice])),
  geminiAnalysisPrice,
];

export function findProvider(kind: ProviderKind, name: string): CatalogueProvider | undefined {
  return PROVIDER_CATALOGUE.find((entry) => entry.kind === kind && entry.name === name);
}

/** Returns the names of a kind's providers, as agents give them. */
export function providerNames(kind: ProviderKind): string[] {
  return PROVIDER_CATALOGUE.filter((entry) => entry.kind === kind).map(({ name }) => name);
}

type WithModels = Pick<CatalogueProvider, 'models' | 'takesAnyModel' | 'defaultModel'>;

/**
 * Returns what is known of a model: the entry with the longest family that its name begins with. An empty one is the
 * default.
 */
export function modelOf({ models, defaultModel }: WithModels, model: string): CatalogueModel | undefined {
  const name = model === '' ? defaultModel : model;
  return models
    .filter(({ family }) => name.startsWith(family))
    .reduce<CatalogueModel | undefined>(
      (longest, one) => (longest && longest.family.length >= one.family.length ? longest : one),
      undefined,
    );
}

/** Returns the families by which the matrix names the models; null where any model is taken. */
export function canonicalFamilies({ models, takesAnyModel }: WithModels): string[] | null {
  if (takesAnyModel) return null;
  const families = models.map(({ family }) => family);
  // A family within another says more of its models, and admits none that the other does not.
  return families.filter((one) => !families.some((other) => other !== one && one.startsWith(other)));
}

/** Returns whether the model belongs to a family of the provider's; an empty one is its default. */
export function isKnownModel(entry: WithModels, model: string): boolean {
  return model === '' || entry.takesAnyModel || modelOf(entry, model) !== undefined;
}

/** Returns the schema of `params` for the model. */
export function paramsOf(entry: WithModels & Pick<CatalogueProvider, 'params'>, model: string): z.ZodObject {
  return modelOf(entry, model)?.params ?? entry.params;
}

/** Returns whether the provider runs on this machine and costs nothing. */
export function isKeyless(kind: ProviderKind, name: string): boolean {
  return findProvider(kind, name)?.vendor === null;
}
