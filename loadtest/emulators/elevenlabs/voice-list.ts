import type { IncomingMessage } from 'node:http';
import { type PlainAnswer, requestUrl } from '../serving/http-server.js';

type Described = readonly [id: string, name: string, language: string, accent: string, gender: string];

/** The voices there are, as the vendor describes them. */
const VOICES: readonly Described[] = [
  ['21m00Tcm4TlvDq8ikWAM', 'Rachel', 'en', 'american', 'female'],
  ['29vD33N1CtxCmqQRPOHJ', 'Drew', 'en', 'american', 'male'],
  ['pqHfZKP75CvOlQylNhV4', 'Bill', 'en', 'american', 'male'],
  ['Xb7hH8MSUJpSbSDYk0k2', 'Alice', 'en', 'british', 'female'],
  ['XrExE9yKIg1WjnnlVkGX', 'Matilda', 'de', 'standard', 'female'],
];

/** A recording of a voice, 2.6 s of silence: frames of MPEG-1 layer III, 128 kbit/s, 44.1 kHz, 417 bytes each. */
const RECORDING = Buffer.concat(
  Array.from({ length: 100 }, () =>
    Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0xc4]), Buffer.alloc(413)]),
  ),
);

/** What the vendor's framework takes for a boolean (pydantic.dev, "Booleans"). */
const BOOLEANS = ['0', '1', 'false', 'true', 'f', 't', 'n', 'y', 'no', 'yes', 'off', 'on'];

/** Of the list that are understood here: the vendor has more, by which nothing of ours filters or sorts. */
const PARAMETERS = ['page_size', 'next_page_token', 'include_total_count'];

const invalid = (name: string, msg: string) => ({
  status: 422,
  body: { detail: [{ loc: ['query', name], msg }] },
});

const cloned = (n: number): Described => [`cloned${n}`, `Cloned ${n}`, 'en', 'american', 'male'];

/** Answers `GET /v2/voices` (elevenlabs.io, api-reference, "List voices"): by key, a page at a time, by a token. */
export function answerVoices(
  request: IncomingMessage,
  {
    accepts,
    previews,
    more,
  }: {
    readonly accepts: (key: string | undefined) => boolean;
    readonly previews: string;
    /** Voices of the account, behind the vendor's. */
    readonly more: number;
  },
): PlainAnswer | undefined {
  const { pathname, searchParams } = requestUrl(request);
  // Recordings are public.
  if (VOICES.some(([id]) => pathname === `/previews/${id}.mp3`)) {
    return { status: 200, type: 'audio/mpeg', file: RECORDING };
  }
  if (pathname !== '/v2/voices' || request.method !== 'GET') return undefined;
  const header = request.headers['xi-api-key'];
  if (!accepts(typeof header === 'string' ? header : undefined)) {
    return { status: 401, body: { detail: { status: 'invalid_api_key', message: 'Invalid API key' } } };
  }
  const unknown = [...searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) return invalid(unknown, 'Unknown query parameter');
  if (!BOOLEANS.includes((searchParams.get('include_total_count') ?? 'true').toLowerCase())) {
    return invalid('include_total_count', 'Input should be a valid boolean');
  }
  const voices = [...VOICES, ...Array.from({ length: more }, (_, n) => cloned(n))];
  const size = Number(searchParams.get('page_size') ?? 10);
  if (!Number.isInteger(size) || size < 1 || size > 100) {
    return invalid('page_size', 'Input should be 1 to 100');
  }
  const token = searchParams.get('next_page_token');
  const at = token === null ? 0 : voices.findIndex(([id]) => id === token) + 1;
  if (token !== null && at === 0) {
    return { status: 400, body: { detail: { status: 'invalid_page_token', message: 'Invalid page token' } } };
  }
  const page = voices.slice(at, at + size);
  const hasMore = at + size < voices.length;
  return {
    status: 200,
    body: {
      voices: page.map(([voice_id, name, language, accent, gender]) => ({
        voice_id,
        name,
        category: 'premade',
        description: `${name}, a ${accent} voice`,
        labels: { language, accent, gender },
        preview_url: `${previews}/previews/${voice_id}.mp3`,
        verified_languages: [{ language, model_id: 'eleven_flash_v2_5', accent, locale: null }],
      })),
      has_more: hasMore,
      total_count: voices.length,
      next_page_token: hasMore ? page.at(-1)![0] : null,
    },
  };
}
