import { z } from 'zod';
import type { Vendor } from './vendor-accounts.js';

export const PROVIDER_KINDS = ['stt', 'llm', 'tts', 'realtime'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/**
 * - `end_of_turn`, `eager_end_of_turn`: it says by itself that the caller's turn is over, or seems to be
 * - `decides_turns`: what it says of the end of a turn ends it, and its final text comes no sooner
 * - `word_timings`: it says when each part of what it speaks is heard
 * - `language_choice`: it is given the language; without, it finds out by itself
 * - `reads_figures`: it says numbers, dates, amounts and abbreviations as a person would; for others they are written out
 * - `starts_mid_clause`: it takes up a turn that begins with a few words as if it had not been cut after them
 * - `tools`: it calls the agent's tools
 * - `caller_transcript`: it writes down what the caller says
 */
export type ModelCapability =
  | 'end_of_turn'
  | 'eager_end_of_turn'
  | 'decides_turns'
  | 'word_timings'
  | 'language_choice'
  | 'reads_figures'
  | 'starts_mid_clause'
  | 'tools'
  | 'caller_transcript';

/**
 * How long a provider usually takes, in ms, as somebody has published it: a recogniser from the end of speech to its
 * final text, or to its own end of the turn where it decides that; a language model from the request to the first words
 * that a voice can begin with; a voice from its text to its first audio. A vendor's figure is without the network.
 */
export interface PublishedLatency {
  readonly ms: number;
  /** `platform`: measured by us, on one machine. */
  readonly by: 'vendor' | 'platform';
  /** Where it stands. */
  readonly source: string;
  /** The month in which it was read or measured, such as `2026-11`. */
  readonly asOf: string;
}

/** Models whose names begin alike, and what they can do. */
export interface CatalogueModel {
  /** The beginning of their names; empty: the provider's only model. */
  readonly family: string;
  readonly capabilities: readonly ModelCapability[];
  /** By primary subtag (ISO 639), as the vendor lists them; `unlisted` where it names none. */
  readonly languages: readonly string[] | 'unlisted';
  /** Of `params`, where they are others than the provider's. */
  readonly params?: z.ZodObject;
  /** Absent: nobody has published one that could be checked. */
  readonly latency?: PublishedLatency;
}

/** USD for a million tokens. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
}

export interface CachedTokenPrice extends TokenPrice {
  readonly cached: number;
}

/** Of a speech-to-speech model, by modality. Cached tokens are charged as such instead of as input. */
export interface ModalityPrice {
  readonly text: CachedTokenPrice;
  readonly audio: CachedTokenPrice;
}

/** What a price is of. In USD: `stt` a minute of audio, `llm` and `realtime` a million tokens, `tts` a thousand characters. */
export interface PriceByKind {
  readonly stt: number;
  readonly llm: TokenPrice;
  readonly tts: number;
  readonly realtime: ModalityPrice;
}

/** A vendor's list price, pay as you go. */
export interface ListPrice<Amount> {
  /** The month in which the list was read, such as `2026-06`. */
  readonly asOf: string;
  readonly source: string;
  /** By the beginning of the model's name; the longest that fits counts, '' fits every model. */
  readonly byModel: Readonly<Record<string, Amount>>;
}

/** How a provider would be reached for an agent. */
export interface ProviderAccess {
  /** Whether there is a key for the address. */
  readonly hasKey: boolean;
  /** Undefined: the vendor's own. */
  readonly url: string | undefined;
  /** Whether the agent names the address in its `params`. */
  readonly isAgentsOwn: boolean;
}

/** What an agent may bring in `params`, so that it runs on its own account or server. */
export const ownAccount = z.object({
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  api_key: z.string().min(1).max(512).optional(),
});
/** Nothing: the provider runs on this machine, or on the installation's account alone. */
export const noAccount = z.object({});

export interface ProviderEntry<Kind extends ProviderKind> {
  readonly kind: Kind;
  /** As agents name it in `voice_config`. */
  readonly name: string;
  /** Whose account it runs on. Null: it runs on this machine, without a key, and costs nothing. */
  readonly vendor: Vendor | null;
  /** What an empty model means; empty where there is but one. */
  readonly defaultModel: string;
  readonly models: readonly CatalogueModel[];
  /** Whether models that are not listed belong to the matrix as well. */
  readonly takesAnyModel: boolean;
  /** Of `voice_config.<kind>.params`, credentials among them. */
  readonly params: z.ZodObject;
  /** The fields of `params` that are credentials. */
  readonly credentials: z.ZodObject;
  /** Whether it can be reached so. */
  readonly isReachable: (access: ProviderAccess) => boolean;
  /**
   * Whether agents get it only if they name it: the vendor's key is there for another kind of provider, and nobody has
   * said that callers' words may go there for this one, too.
   */
  readonly mustBeNamed?: true;
  /**
   * Returns the silence, in ms, by which the provider's own turn detection ends a turn of a speech-to-speech agent with
   * these `params`; null where it goes by something else or does not say.
   */
  readonly turnSilenceMs?: (params: Readonly<Record<string, unknown>>) => number | null;
  /** Null: it costs nothing. */
  readonly price: ListPrice<PriceByKind[Kind]> | null;
  readonly note: string;
}

export type CatalogueProvider = { [Kind in ProviderKind]: ProviderEntry<Kind> }[ProviderKind];

/** A list price by kind: also of what is used beside the providers that agents choose. */
export type CataloguePrice = {
  [Kind in ProviderKind]: {
    readonly kind: Kind;
    readonly name: string;
    readonly price: ListPrice<PriceByKind[Kind]>;
  };
}[ProviderKind];

export const needsKey = ({ hasKey }: ProviderAccess): boolean => hasKey;
export const needsNothing = (): boolean => true;
