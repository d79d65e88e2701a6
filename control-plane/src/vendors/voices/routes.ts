import type { TenantId } from '@voice/shared/ids/ids';
import type { CursorCodec } from '../../platform/http/pagination.js';
import { type Route, reply, route, streamed } from '../../platform/http/route.js';
import {
  previewParams,
  type VoiceListResponse,
  type VoicesQuery,
  voiceListResponse,
  voicesQuery,
} from './schemas.js';
import { filterVoices, type Voice } from './voice.js';
import type { Voices } from './voices.js';

const tag = 'Agents';

export function voiceRoutes(voices: Voices, cursors: CursorCodec): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/voices',
      operationId: 'listVoices',
      tag,
      summary: 'List the voices that agents can have',
      description:
        "By the vendors' own catalogues, with the key that your agents speak with: yours, or the installation's. " +
        'What is kept is at most ten minutes old, and older only while a vendor is away (`sources`).',
      auth: 'tenant',
      query: voicesQuery,
      responses: { 200: { description: 'A page of voices, by provider.', schema: voiceListResponse } },
      errors: ['invalid_cursor', 'provider_unavailable', 'vendor_key_refused', 'vendor_unavailable'],
      handler: async ({ tenant, query }) => {
        const sources =
          query.provider === undefined ? await voices.all(tenant) : [await voices.of(tenant, query.provider)];
        const found = filterVoices(
          sources.flatMap((source) => source.voices),
          query,
        );
        return reply(200, {
          ...page(found, tenant, query, cursors),
          sources: sources.map(({ provider, state, fetchedAt, detail }) => ({
            provider,
            state,
            fetched_at: fetchedAt === null ? null : new Date(fetchedAt).toISOString(),
            detail,
          })),
        });
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/voices/{provider}/{voice_name}/preview',
      operationId: 'previewVoice',
      tag,
      summary: 'Hear a voice',
      description: "The vendor's own recording, of at most 2 MB.",
      auth: 'tenant',
      params: previewParams,
      responses: { 200: { description: 'The recording.', contentType: 'audio/mpeg' } },
      errors: ['voice_not_found', 'provider_unavailable', 'vendor_key_refused', 'vendor_unavailable'],
      handler: async ({ tenant, params }) => {
        const { audio, type } = await voices.preview(tenant, params.provider, params.voice_name);
        return streamed(200, (response) => void response.end(audio), {
          'Content-Type': type,
          'Content-Length': String(audio.length),
          'Cache-Control': 'private, max-age=3600',
        });
      },
    }),
  ];
}

/** Cuts a page out of the list: after the voice that the page before ended with, where it still is. */
function page(
  all: readonly Voice[],
  tenant: TenantId,
  { provider, language = '', q = '', cursor, limit }: VoicesQuery,
  cursors: CursorCodec,
): Omit<VoiceListResponse, 'sources'> {
  const scope = `voices/${tenant}/${JSON.stringify([provider ?? '', language, q])}`;
  const place = cursor === undefined ? undefined : cursors.decode(scope, cursor);
  const known = place ? all.findIndex((voice) => nameOf(voice) === place.id) + 1 : 0;
  // A voice that is gone meanwhile: by how many came before it.
  const start = place && known === 0 ? place.createdAt.getTime() : known;
  const shown = all.slice(start, start + limit);
  const end = start + shown.length;
  const last = shown.at(-1);
  const hasMore = end < all.length;
  return {
    voices: shown.map(({ sample, choice, languages, ...voice }) => ({
      ...voice,
      languages: [...languages],
      voice_config: choice,
      preview_url:
        sample === null ? null : `/api/v1/voices/${voice.provider}/${encodeURIComponent(voice.id)}/preview`,
    })),
    has_more: hasMore,
    next_cursor:
      hasMore && last ? cursors.encode(scope, { createdAt: new Date(end), id: nameOf(last) }) : null,
  };
}

const nameOf = ({ provider, id }: Voice) => `${provider}/${id}`.slice(0, 64);
