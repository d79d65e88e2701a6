import { z } from 'zod';

/** A query value as the vendor writes it. */
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const integer = z.string().regex(/^\d+$/, 'must be a whole number').transform(Number);
const decimal = z
  .string()
  .regex(/^\d+(\.\d+)?$/, 'must be a number')
  .transform(Number);
const keyterms = z.array(z.string().min(1)).default([]);

/** The telephone's format is all that this emulator hears. */
const encoding = z.literal('mulaw', 'only mulaw is supported here');
const sampleRate = z.literal('8000', 'mulaw is 8000 Hz here');

/** `language` of Nova (developers.deepgram.com, models and languages overview, and changelog). */
const LANGUAGES = [
  ...([
    'bg',
    'ca',
    'cs',
    'da',
    'da-DK',
    'de',
    'de-CH',
    'el',
    'en',
    'en-AU',
    'en-GB',
    'en-IN',
    'en-NZ',
  ] as const),
  ...([
    'en-US',
    'es',
    'es-419',
    'et',
    'fi',
    'fr',
    'fr-CA',
    'hi',
    'hu',
    'id',
    'it',
    'ja',
    'ko',
    'ko-KR',
  ] as const),
  ...([
    'lt',
    'lv',
    'ms',
    'multi',
    'nl',
    'nl-BE',
    'no',
    'pl',
    'pt',
    'pt-BR',
    'pt-PT',
    'ro',
    'ru',
    'sk',
  ] as const),
  ...([
    'sv',
    'sv-SE',
    'th',
    'th-TH',
    'tr',
    'uk',
    'vi',
    'zh',
    'zh-CN',
    'zh-HK',
    'zh-Hans',
    'zh-Hant',
  ] as const),
  'zh-TW',
] as const;

/** Query of `/v1/listen` (`@deepgram/sdk` ListenV1*). */
const novaQuery = z.strictObject({
  model: z.string().regex(/^(nova-3|nova-2|nova|enhanced|base)(-[a-z]+)?$/, 'no such model'),
  language: z.enum(LANGUAGES, 'no such language').default('en'),
  encoding,
  sample_rate: sampleRate,
  channels: z.literal('1').default('1'),
  interim_results: flag.default(false),
  endpointing: z.union([integer, z.literal('false').transform(() => null)]).default(10),
  utterance_end_ms: integer.pipe(z.number().min(1000).max(5000)).optional(),
  vad_events: flag.default(false),
  smart_format: flag.default(false),
  punctuate: flag.default(false),
  numerals: flag.default(false),
  profanity_filter: flag.default(false),
  mip_opt_out: flag.default(false),
  keyterm: keyterms,
});
export type NovaQuery = z.infer<typeof novaQuery>;

/** Query of `/v2/listen`; the ranges are those of `@deepgram/sdk` ListenV2*. */
const fluxQuery = z.strictObject({
  model: z.enum(['flux-general-en', 'flux-general-multi']),
  encoding,
  sample_rate: sampleRate,
  eot_threshold: decimal.pipe(z.number().min(0.5).max(1)).default(0.7),
  eager_eot_threshold: decimal.pipe(z.number().min(0.3).max(0.9)).optional(),
  eot_timeout_ms: integer.pipe(z.number().min(500).max(60_000)).default(5000),
  language_hint: z.string().optional(),
  mip_opt_out: flag.default(false),
  keyterm: keyterms,
});
export type FluxQuery = z.infer<typeof fluxQuery>;

export type Listen =
  | { readonly kind: 'nova'; readonly query: NovaQuery }
  | { readonly kind: 'flux'; readonly query: FluxQuery };
export type Refusal = { readonly status: 400 | 404; readonly message: string };

/** Reads the address of a WebSocket request as strictly as the vendor does. */
export function parseListen(url: URL): Listen | Refusal {
  const { keyterm, ...rest } = repeated(url.searchParams);
  const query = { ...rest, ...(keyterm === undefined ? {} : { keyterm }) };
  if (url.pathname === '/v1/listen')
    return checked(novaQuery, query, (value) => ({ kind: 'nova', query: value }));
  if (url.pathname === '/v2/listen') {
    return checked(fluxQuery, query, (value) => {
      if ((value.eager_eot_threshold ?? 0) > value.eot_threshold) {
        return { status: 400, message: 'eager_eot_threshold must not be above eot_threshold' };
      }
      return { kind: 'flux', query: value };
    });
  }
  return { status: 404, message: 'no such path' };
}

function checked<T>(
  schema: z.ZodType<T>,
  query: unknown,
  accept: (value: T) => Listen | Refusal,
): Listen | Refusal {
  const parsed = schema.safeParse(query);
  if (parsed.success) return accept(parsed.data);
  const issue = parsed.error.issues[0]!;
  return { status: 400, message: `${issue.path.join('.')}: ${issue.message}` };
}

/** Only `keyterm` may come more than once. */
function repeated(search: URLSearchParams): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name);
    query[name] = name === 'keyterm' || values.length > 1 ? values : values[0]!;
  }
  return query;
}
