import type { CarrierRates } from '@voice/shared/catalogue/carrier-rates';
import { CARRIER_PRICES } from '@voice/shared/catalogue/carriers';
import type {
  CachedTokenPrice,
  CataloguePrice,
  ModalityPrice,
  PriceByKind,
  TokenPrice,
} from '@voice/shared/catalogue/provider-entry';
import { LIST_PRICES, type ProviderKind } from '@voice/shared/catalogue/providers';
import { fromUsd, type MicroDollars } from './micro-dollars.js';

/** By the beginning of the model's name; the longest that fits counts, '' fits every model. */
type ByModel<Rate> = Readonly<Record<string, Rate>>;
/** A provider that is not named costs nothing here: it runs on this machine or at the tenant's own account. */
type ByProvider<Rate> = Readonly<Record<string, ByModel<Rate>>>;

/** Micro-dollars for a million tokens. */
interface TokenRate {
  readonly input: MicroDollars;
  readonly output: MicroDollars;
}

/** The same of a speech-to-speech model, by modality. Cached tokens are charged as such instead of as input. */
interface ModalityRate {
  readonly text: CachedTokenRate;
  readonly audio: CachedTokenRate;
}

export interface CachedTokenRate extends TokenRate {
  readonly cached: MicroDollars;
}

/**
 * What is charged, in micro-dollars. Providers' and carriers' shares are their list prices in USD, pay as you go,
 * passed on without a margin; the service's share is ours, and covers what carriers charge besides the minute
 * (media streams, machine detection). A change counts for calls that end after it: what a call cost is stored
 * with it.
 *
 * By the vendors' price lists that the catalogue names, with their date, read in published copies: an operator
 * compares them with the contract that is billed, and replaces what differs (`RATES_FILE`).
 */
export interface RateTable {
  /** A minute of audio, by the millisecond. */
  readonly stt: ByProvider<MicroDollars>;
  /** Cached input counts as input. */
  readonly llm: ByProvider<TokenRate>;
  /** Speech to speech; its share of a call's cost is shown as the language model's. */
  readonly realtime: ByProvider<ModalityRate>;
  /** A thousand characters. */
  readonly tts: ByProvider<MicroDollars>;
  /** A started minute, as carriers count; in USD, as the catalogue has it. */
  readonly carrier: Readonly<Record<string, CarrierRates>>;
  /** A minute of the call, by the millisecond. */
  readonly service: MicroDollars;
}

const tokens = ({ input, output }: TokenPrice): TokenRate => ({
  input: fromUsd(input),
  output: fromUsd(output),
});

const withCache = ({ cached, ...price }: CachedTokenPrice): CachedTokenRate => ({
  ...tokens(price),
  cached: fromUsd(cached),
});

const byModality = ({ text, audio }: ModalityPrice): ModalityRate => ({
  text: withCache(text),
  audio: withCache(audio),
});

/** Returns a kind's list prices as rates: of the providers in the catalogue, and of what is used beside them. */
function listedRates<Kind extends ProviderKind, Rate>(
  kind: Kind,
  convert: (price: PriceByKind[Kind]) => Rate,
): ByProvider<Rate> {
  const ofKind = LIST_PRICES.filter(
    (one): one is Extract<CataloguePrice, { readonly kind: Kind }> => one.kind === kind,
  );
  return Object.fromEntries(
    ofKind.map(({ name, price }) => {
      const byModel = price.byModel as Readonly<Record<string, PriceByKind[Kind]>>;
      return [
        name,
        Object.fromEntries(Object.entries(byModel).map(([family, amount]) => [family, convert(amount)])),
      ];
    }),
  );
}

export const RATES: RateTable = {
  stt: listedRates('stt', fromUsd),
  llm: listedRates('llm', tokens),
  realtime: listedRates('realtime', byModality),
  tts: listedRates('tts', fromUsd),
  carrier: Object.fromEntries(Object.entries(CARRIER_PRICES).map(([name, { rates }]) => [name, rates])),
  service: 10_000,
};

/** Returns the rate of a provider's model; undefined where the table names none. */
export function rateOf<Rate>(table: ByProvider<Rate>, provider: string, model: string): Rate | undefined {
  if (!Object.hasOwn(table, provider)) return undefined;
  const byModel = table[provider] ?? {};
  const longest = Object.keys(byModel)
    .filter((family) => model.startsWith(family))
    .sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : byModel[longest];
}
