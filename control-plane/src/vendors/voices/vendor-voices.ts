import { z } from 'zod';
import { MAX_PAGES, PAGE } from './bounds.js';
import type { SdkVendor } from './sdk/messages.js';
import type { Voice } from './voice.js';

const text = z.string().nullish();

const elevenLabsPage = z.object({
  voices: z.array(
    z.object({
      voiceId: z.string(),
      name: text,
      description: text,
      labels: z.record(z.string(), z.string().nullable()).nullish(),
      previewUrl: text,
      verifiedLanguages: z.array(z.object({ language: z.string() })).nullish(),
    }),
  ),
});

function elevenLabs(page: unknown): Voice[] {
  return elevenLabsPage
    .parse(page)
    .voices.map(({ voiceId: id, name, description, labels, previewUrl, verifiedLanguages }) => {
      const languages = [labels?.language, ...(verifiedLanguages ?? []).map(({ language }) => language)];
      return {
        provider: 'elevenlabs',
        id,
        name: name ?? id,
        description: description ?? '',
        languages: [...new Set(languages.filter((language) => typeof language === 'string'))],
        gender: labels?.gender ?? null,
        accent: labels?.accent ?? null,
        choice: { provider: 'elevenlabs', model: '', params: { voice_id: id } },
        sample: previewUrl ?? null,
      };
    });
}

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

/** A model is a voice in one language. */
function deepgram(page: unknown): Voice[] {
  const { tts } = deepgramModels.parse(page);
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
}

/** The voices of a page as the vendor's SDK gives it. Throws `ZodError`. */
export const VOICES_BY_SDK: Readonly<Record<SdkVendor, (page: unknown) => Voice[]>> = {
  elevenlabs: elevenLabs,
  deepgram,
};

/** Asks the vendor for JSON at a path of its API. */
type AskVendor = (path: string, query: Readonly<Record<string, string>>) => Promise<unknown>;

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

/** docs.cartesia.ai/api-reference/voices/list: `GET /voices`, page by page. */
export async function cartesiaVoices(ask: AskVendor): Promise<Voice[]> {
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
}

const GENDERS: Readonly<Record<string, string>> = {
  feminine: 'female',
  masculine: 'male',
  gender_neutral: 'neutral',
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
