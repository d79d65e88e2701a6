import { z } from 'zod';
import { queryCursor, queryInt } from '../../platform/http/query.js';
import { VOICE_PROVIDERS } from './voices.js';

const provider = z.enum(VOICE_PROVIDERS);

export const voicesQuery = z.object({
  provider: provider.optional().describe('Of one provider; else of all that can be used.'),
  language: z
    .string()
    .regex(/^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/)
    .optional()
    .describe('That speak it: `en`, or `en-US`, of which the first part counts.'),
  q: z.string().max(100).optional().describe('Words of its name, description, accent or gender.'),
  cursor: queryCursor,
  limit: queryInt({ min: 1, max: 100, default: 50 }),
});
export type VoicesQuery = z.output<typeof voicesQuery>;

const voice = z
  .object({
    provider: z.string().describe('The provider, as agents name it.'),
    id: z
      .string()
      .describe('The voice, as its vendor names it.')
      .meta({ examples: ['21m00Tcm4TlvDq8ikWAM'] }),
    name: z.string(),
    description: z.string(),
    languages: z
      .array(z.string())
      .describe('What it speaks; empty: whatever its model does.')
      .meta({ examples: [['en']] }),
    gender: z
      .string()
      .nullable()
      .describe('As the vendor says; null where it does not.')
      .meta({ examples: ['female'] }),
    accent: z
      .string()
      .nullable()
      .describe('As the vendor says; null where it does not.')
      .meta({ examples: ['american'] }),
    voice_config: z
      .object({
        provider: z.string().describe('The provider.'),
        model: z
          .string()
          .describe('The model; empty for the default.')
          .meta({ examples: ['aura-2-thalia-en'] }),
        params: z
          .record(z.string(), z.unknown())
          .describe('What names the voice.')
          .meta({ examples: [{ voice_id: '21m00Tcm4TlvDq8ikWAM' }] }),
      })
      .describe('What `voice_config.tts` of an agent is with this voice.')
      .meta({ title: 'VoiceChoice' }),
    preview_url: z
      .string()
      .nullable()
      .describe(
        'Where it is heard, below this service and with the same credential; null where the vendor has no recording.',
      )
      .meta({ examples: ['/api/v1/voices/elevenlabs/21m00Tcm4TlvDq8ikWAM/preview'] }),
  })
  .meta({ title: 'Voice' });

const source = z
  .object({
    provider: z.string().describe('The provider.'),
    state: z
      .enum(['fresh', 'stale', 'unavailable'])
      .describe(
        '`stale`: kept from before, because the vendor is away. `unavailable`: it is away, and nothing is kept.',
      ),
    fetched_at: z.iso
      .datetime()
      .nullable()
      .describe('When the vendor was asked; null where it has no list that could be asked for.'),
    detail: z
      .string()
      .nullable()
      .describe('Why it is not fresh; null where it is.')
      .meta({ examples: ['The vendor answered with status 503.'] }),
  })
  .meta({ title: 'VoiceSource' });

export const voiceListResponse = z
  .object({
    voices: z.array(voice).describe('By provider, in the order of their catalogues.'),
    sources: z.array(source).describe('The providers that were asked.'),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'VoiceListResponse' });
export type VoiceListResponse = z.output<typeof voiceListResponse>;

export const previewParams = z.object({
  provider: provider.describe('The provider.'),
  voice_name: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/)
    .describe("The voice's `id`."),
});
