import { readFileSync } from 'node:fs';
import { type CarrierRates, LINE_KINDS } from '@voice/shared/catalogue/carrier-rates';
import { CARRIER_PRICES } from '@voice/shared/catalogue/carriers';
import { z } from 'zod';
import { fromUsd } from './micro-dollars.js';
import { RATES, type RateTable } from './rates.js';

const usd = z.number().nonnegative().max(10_000);
const lineRates = z.partialRecord(z.enum(LINE_KINDS), usd);
const countryRates = z.strictObject({
  countries: z.record(z.string().regex(/^[A-Z]{2}$/, 'must be two capital letters'), lineRates).optional(),
  elsewhere: lineRates.optional(),
});
const carrierRates = z.strictObject({ outbound: countryRates.optional(), inbound: countryRates.optional() });
const tokenRate = z.strictObject({ input: usd, output: usd });
const cachedRate = z.strictObject({ input: usd, cached: usd, output: usd });
const byModel = <Rate extends z.ZodType>(rate: Rate) => z.record(z.string(), z.record(z.string(), rate));

/** Makes the same schema for each carrier that has a price list. */
function ofEachCarrier<Schema extends z.ZodType>(schema: Schema): Record<string, Schema> {
  return Object.fromEntries(Object.keys(CARRIER_PRICES).map((name) => [name, schema]));
}

/** What an operator's contract says otherwise than the list prices; all in USD, as price lists have it. */
const ratesFile = z.strictObject({
  currency: z.literal('USD'),
  /** A started minute. */
  carrier: z.strictObject(ofEachCarrier(carrierRates.optional())).optional(),
  /** A minute of audio. */
  stt: byModel(usd).optional(),
  /** A million tokens. */
  llm: byModel(tokenRate).optional(),
  realtime: byModel(z.strictObject({ text: cachedRate, audio: cachedRate })).optional(),
  /** A thousand characters. */
  tts: byModel(usd).optional(),
  /** A minute of the call. */
  service: usd.optional(),
});
type RatesFile = z.output<typeof ratesFile>;

/** Reads the rates with those of the file in place of the list prices. Throws an `Error` that says what is wrong. */
export function readRates(path: string): RateTable {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path} cannot be read as JSON: ${error instanceof Error ? error.message : error}`);
  }
  const parsed = ratesFile.safeParse(content);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`${path}: ${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
  }
  return withRates(RATES, parsed.data);
}

function withRates(rates: RateTable, file: RatesFile): RateTable {
  return {
    carrier: Object.fromEntries(
      Object.entries(rates.carrier).map(([name, listed]) => [
        name,
        withCarrierRates(listed, file.carrier?.[name]),
      ]),
    ),
    stt: withModels(rates.stt, file.stt, fromUsd),
    llm: withModels(rates.llm, file.llm, ({ input, output }) => ({
      input: fromUsd(input),
      output: fromUsd(output),
    })),
    realtime: withModels(rates.realtime, file.realtime, ({ text, audio }) => ({
      text: micro(text),
      audio: micro(audio),
    })),
    tts: withModels(rates.tts, file.tts, fromUsd),
    service: file.service === undefined ? rates.service : fromUsd(file.service),
  };
}

const micro = ({ input, cached, output }: z.output<typeof cachedRate>) => ({
  input: fromUsd(input),
  cached: fromUsd(cached),
  output: fromUsd(output),
});

function withModels<Listed, Given>(
  listed: Readonly<Record<string, Readonly<Record<string, Listed>>>>,
  given: Readonly<Record<string, Readonly<Record<string, Given>>>> | undefined,
  convert: (rate: Given) => Listed,
): Record<string, Record<string, Listed>> {
  const merged: Record<string, Record<string, Listed>> = {};
  for (const [provider, models] of Object.entries(listed)) merged[provider] = { ...models };
  for (const [provider, models] of Object.entries(given ?? {})) {
    const rates = Object.entries(models).map(([model, rate]) => [model, convert(rate)] as const);
    merged[provider] = { ...merged[provider], ...Object.fromEntries(rates) };
  }
  return merged;
}

function withCarrierRates(
  listed: CarrierRates,
  given: z.output<typeof carrierRates> | undefined,
): CarrierRates {
  const merged = (direction: 'outbound' | 'inbound') => {
    const { countries, elsewhere } = listed[direction];
    const own = given?.[direction];
    const byCountry = Object.entries(own?.countries ?? {}).map(
      ([country, rates]) => [country, { ...countries[country], ...rates }] as const,
    );
    return {
      countries: { ...countries, ...Object.fromEntries(byCountry) },
      elsewhere: { ...elsewhere, ...own?.elsewhere },
    };
  };
  return { outbound: merged('outbound'), inbound: merged('inbound') };
}
