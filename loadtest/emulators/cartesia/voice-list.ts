import type { IncomingMessage } from 'node:http';
import { type PlainAnswer, requestUrl } from '../serving/http-server.js';

const VOICES = [
  ['f786b574-daa5-4673-aa0c-cbe3e8534c02', 'Katie', 'en', 'feminine'],
  ['a5136bf9-224c-4d76-b823-52bd5efcffcc', 'Jameson', 'en', 'masculine'],
  ['b9de4a89-2257-424b-94c2-db18ba68c81a', 'Viktoria', 'de', 'feminine'],
] as const;

/** Answers `GET /voices` (docs.cartesia.ai, "List Voices"): by key and version, a page at a time, after a voice. */
export function answerVoices(
  request: IncomingMessage,
  accepts: (key: string | string[] | undefined) => boolean,
): PlainAnswer | undefined {
  const { pathname, searchParams } = requestUrl(request);
  if (pathname !== '/voices' || request.method !== 'GET') return undefined;
  const refused = (status: number, message: string) => ({ status, body: { title: message, message } });
  if (!accepts(request.headers['x-api-key'])) return refused(401, 'Unauthorized');
  if (!/^\d{4}-\d\d-\d\d$/.test(String(request.headers['cartesia-version'] ?? ''))) {
    return refused(400, 'Cartesia-Version is missing');
  }
  const limit = Number(searchParams.get('limit') ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) return refused(400, 'limit must be 1 to 100');
  const after = searchParams.get('starting_after');
  const at = after === null ? 0 : VOICES.findIndex(([id]) => id === after) + 1;
  if (after !== null && at === 0) return refused(400, 'starting_after is no voice');
  const page = VOICES.slice(at, at + limit);
  const withPreview = searchParams.getAll('expand[]').includes('preview_file_url');
  return {
    status: 200,
    body: {
      data: page.map(([id, name, language, gender]) => ({
        id,
        name,
        description: `${name} for conversations`,
        language,
        gender,
        is_owner: false,
        is_public: true,
        created_at: '2025-11-04T17:33:40Z',
        ...(withPreview ? { preview_file_url: `https://files.cartesia.ai/${id}.wav` } : {}),
      })),
      has_more: at + limit < VOICES.length,
    },
  };
}
