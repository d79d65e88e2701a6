import { z } from 'zod';
import type { Voice } from './voice.js';

/** Asks the vendor for JSON at a path of its API. */
type AskVendor = (path: string, query: Readonly<Record<string, string>>) => Promise<unknown>;

/** Reads all voices of an account, page by page. */
type ListVoices = (ask: AskVendor) => Promise<Voice[]>;

const PAGE = 100;
/** Pages that are read of one account: libraries of the vendors' communities are longer than anybody reads. */
const MAX_PAGES = 10;

const text = z.string().nullish();

const elevenLabsPage = z.object({
  voices: z.array(
    z.object({
      voice_id: z.string(),
      name: text,
      description: text,
      labels: z.record(z.string(), z.string().nullable()).nullish(),
      preview_url: text,
      verified_languages: z.array(z.object({ language: z.string() })).nullish(),
    }),
  ),
  has_more: z.boolean(),
  next_page_token: text,
});

/** elevenlabs.io/docs/api-reference/voices/search: `GET /v2/voices`. */
const elevenLabs: ListVoices = async (ask) => {
  const voices: Voice[] = [];
  let token: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const given: Record<string, string> = token === null ? {} : { next_page_token: token };
    const answer = elevenLabsPage.parse(
      await ask('/v2/voices', { page_size: String(PAGE), include_total_count: 'false', ...given }),
    );
    for (const {
      voice_id: id,
      name,
      description,
      labels,
      preview_url,
      verified_languages,
    } of answer.voices) {
      const languages = [labels?.language, ...(verified_languages ?? []).map(({ language }) => language)];
      voices.push({
        provider: 'elevenlabs',
        id,
        name: name ?? id,
        description: description ?? '',
        languages: [...new Set(languages.filter((language) => typeof language === 'string'))],
        gender: labels?.gender ?? null,
        accent: labels?.accent ?? null,
        choice: { provider: 'elevenlabs', model: '', params: { voice_id: id } },
        sample: preview_url ?? null,
      });
    }
    token = answer.next_page_token ?? null;
    if (!answer.has_more || token === null) break;
  }
  return voices;
};

const deepgramModels = z.object({
  tts: z
    .array(
      z.object({
        name: text,
        canonical_name: z.string(),
        languages: z.array(z.string()).nullish(),
        metadata: z.object({ accent: text, sample: text, tags: z.array(z.string()).nullish() }).nullish(),
      }),
    )
    .nullish(),
});

/** developers.deepgram.com/reference/manage/models/list: `GET /v1/models`. A model is a voice in one language. */
const deepgram: ListVoices = async (ask) => {
  const { tts } = deepgramModels.parse(await ask('/v1/models', {}));
  return (tts ?? []).map(({ name, canonical_name: id, languages, metadata }) => {
    const tags = metadata?.tags ?? [];
    const genders: Readonly<Record<string, string>> = { feminine: 'female', masculine: 'male' };
    const gender = tags.find((tag) => genders[tag] !== undefined);
    return {
      provider: 'deepgram',
      id,
      name: capitalized(name ?? id),
      description: tags.filter((tag) => tag !== gender).join(', '),
      languages: languages ?? [],
      gender: gender === undefined ? null : genders[gender]!,
      accent: metadata?.accent ?? null,
      choice: { provider: 'deepgram', model: id, params: {} },
      sample: metadata?.sample ?? null,
    };
  });
};

const cartesiaPage = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      name: text,
      description: text,
      language: text,
      gender: text,
      preview_file_url: text,
    }),
  ),
  has_more: z.boolean(),
});

/** docs.cartesia.ai/api-reference/voices/list: `GET /voices`. */
const cartesia: ListVoices = async (ask) => {
  const voices: Voice[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const last = voices.at(-1)?.id;
    const answer = cartesiaPage.parse(
      await ask('/voices', {
        limit: String(PAGE),
        'expand[]': 'preview_file_url',
        ...(last === undefined ? {} : { starting_after: last }),
      }),
    );
    for (const { id, name, description, language, gender, preview_file_url } of answer.data) {
      voices.push({
        provider: 'cartesia',
        id,
        name: name ?? id,
        description: description ?? '',
        languages: language ? [language] : [],
        gender: GENDERS[gender ?? ''] ?? null,
        accent: null,
        choice: { provider: 'cartesia', model: '', params: { voice_id: id } },
        sample: preview_file_url ?? null,
      });
    }
    if (!answer.has_more || answer.data.length === 0) break;
  }
  return voices;
};

const GENDERS: Readonly<Record<string, string>> = {
  feminine: 'female',
  masculine: 'male',
  gender_neutral: 'neutral',
};

/** The vendors that list which voices an account has. */
export const VENDOR_VOICES: Readonly<Record<'elevenlabs' | 'cartesia' | 'deepgram', ListVoices>> = {
  elevenlabs: elevenLabs,
  cartesia,
  deepgram,
};

/** OpenAI has no list (developers.openai.com, "Text to speech", voice options): those of every account. */
const OPENAI_VOICES = 'alloy ash ballad cedar coral echo fable marin nova onyx sage shimmer verse'.split(' ');

export function openAiVoices(): Voice[] {
  return OPENAI_VOICES.map((voice) => ({
    provider: 'openai',
    id: voice,
    name: capitalized(voice),
    description: '',
    languages: [],
    gender: null,
    accent: null,
    choice: { provider: 'openai', model: '', params: { voice } },
    sample: null,
  }));
}

function capitalized(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
