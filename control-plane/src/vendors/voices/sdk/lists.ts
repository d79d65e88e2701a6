import { MAX_PAGES, PAGE } from '../bounds.js';
import type { Catalogue, SdkVendor } from './messages.js';

/** Reads a catalogue by the vendor's SDK, which sends what it asks by `fetch`: pages as the SDK gives them. */
type ListBySdk = (catalogue: Catalogue, send: typeof fetch) => Promise<unknown[]>;

interface Page {
  readonly hasMore: boolean;
  readonly nextPageToken?: string | undefined;
}

/** Follows a list from page to page, as far as the bound. */
export async function followPages<Read extends Page>(
  read: (token: string | undefined) => Promise<Read>,
): Promise<Read[]> {
  const pages: Read[] = [];
  let token: string | undefined;
  do {
    const page = await read(token);
    pages.push(page);
    token = page.hasMore ? page.nextPageToken : undefined;
  } while (token !== undefined && pages.length < MAX_PAGES);
  return pages;
}

/** A request that failed ends the list: an old one is served, and the next to ask starts anew. */
const NO_RETRIES = 0;

/** Each SDK is loaded where it is used: that of ElevenLabs takes a second of processor time, and 120 MB. */
export const LISTS_BY_SDK: Readonly<Record<SdkVendor, ListBySdk>> = {
  /** elevenlabs.io/docs/api-reference/voices/search: `GET /v2/voices`. */
  async elevenlabs({ apiKey, base }, send) {
    const { ElevenLabsClient } = await import('@elevenlabs/elevenlabs-js');
    const client = new ElevenLabsClient({ apiKey, baseUrl: base, fetch: send, maxRetries: NO_RETRIES });
    return followPages((nextPageToken) =>
      client.voices.search({ pageSize: PAGE, includeTotalCount: false, nextPageToken }),
    );
  },
  /** developers.deepgram.com/reference/manage/models/list: `GET /v1/models`, in one page. */
  async deepgram({ apiKey, base }, send) {
    const { DeepgramClient } = await import('@deepgram/sdk');
    const client = new DeepgramClient({ apiKey, baseUrl: base, fetch: send, maxRetries: NO_RETRIES });
    return [await client.manage.v1.models.list()];
  },
};
