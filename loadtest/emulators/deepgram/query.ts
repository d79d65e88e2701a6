import type { AudioFormat } from '@voice/shared/audio/format';
import { z } from 'zod';

/** A query value as the vendor writes it. */
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const integer = z.string().regex(/^\d+$/, 'must be a whole number').transform(Number);
const decimal = z
  .string()
  .regex(/^\d+(\.\d+)?$/, 'must be a number')
  .transform(Number);
const keyterms = z.array(z.string().min(1)).default([]);

/** Raw audio as the vendor names it; packed and container formats are not emulated. */
const encoding = z.enum(['mulaw', 'alaw', 'linear16'], 'only mulaw, alaw and linear16 are supported here');
const RATES = { '8000': 8000, '16000': 16_000, '24000': 24_000, '48000': 48_000 } as const;
const sampleRate = z.enum(['8000', '16000', '24000', '48000'], 'no such sample rate here');

/** Returns the format of a connection's audio; undefined for what is never sent (G.711 is at 8,000 Hz). */
function formatOf({ encoding, sample_rate }: NovaQuery | FluxQuery): AudioFormat | undefined {
  const sampleRate = RATES[sample_rate];
  const name = ({ mulaw: 'pcmu', alaw: 'pcma', linear16: 'l16' } as const)[encoding];
  return name !== 'l16' && sampleRate !== 8000 ? undefined : { encoding: name, sampleRate };
}

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
  | { readonly kind: 'nova'; readonly query: NovaQuery; readonly format: AudioFormat }
  | { readonly kind: 'flux'; readonly query: FluxQuery; readonly format: AudioFormat };
export type Refusal = { readonly status: 400 | 404; readonly message: string };

/** Reads the address of a WebSocket request as strictly as the vendor does. */
export function parseListen(url: URL): Listen | Refusal {
  const { keyterm, ...rest } = repeated(url.searchParams);
  const query = { ...rest, ...(keyterm === undefined ? {} : { keyterm }) };
  if (url.pathname === '/v1/listen')
    return checked(novaQuery, query, (value, format) => ({ kind: 'nova', query: value, format }));
  if (url.pathname === '/v2/listen') {
    return checked(fluxQuery, query, (value, format) => {
      if ((value.eager_eot_threshold ?? 0) > value.eot_threshold) {
        return { status: 400, message: 'eager_eot_threshold must not be above eot_threshold' };
      }
      return { kind: 'flux', query: value, format };
    });
  }
  return { status: 404, message: 'no such path' };
}

function checked<T extends NovaQuery | FluxQuery>(
  schema: z.ZodType<T>,
  query: unknown,
  accept: (value: T, format: AudioFormat) => Listen | Refusal,
): Listen | Refusal {
  const parsed = schema.safeParse(query);
  if (parsed.success) {
    const format = formatOf(parsed.data);
    return format
      ? accept(parsed.data, format)
      : { status: 400, message: 'sample_rate: mulaw and alaw are 8000 Hz here' };
  }
  const issue = parsed.error.issues[0]!;
  return { status: 400, message: `${issue.path.join('.')}: ${issue.message}` };
}

/** Collects the query; only `keyterm` may come more than once. */
function repeated(search: URLSearchParams): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name);
    query[name] = name === 'keyterm' || values.length > 1 ? values : values[0]!;
  }
  return query;
}
