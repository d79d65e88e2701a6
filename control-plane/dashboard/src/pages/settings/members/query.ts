import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.js';
import type { Invitation, Member } from '../../../api/types.js';
import { accountApi } from '../account-api.js';

interface Page {
  readonly next_cursor: string | null;
}

/** Reads a list to its end. */
async function allPages<Shown extends Page>(read: (cursor?: string) => Promise<Shown>): Promise<Shown[]> {
  const pages: Shown[] = [];
  let cursor: string | null | undefined;
  do {
    const page: Shown = await read(cursor ?? undefined);
    pages.push(page);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return pages;
}

const pageOf = (cursor?: string) => ({ query: { limit: 100, ...(cursor !== undefined && { cursor }) } });

/** All members of the account. */
export const membersQuery = queryOptions({
  queryKey: ['account', 'members'],
  queryFn: async ({ signal }): Promise<Member[]> => {
    const pages = await allPages((cursor) =>
      dataOf(accountApi.GET('/api/v1/members', { params: pageOf(cursor), signal })),
    );
    return pages.flatMap(({ members }) => members);
  },
});

/** All invitations that can still be accepted. */
export const invitationsQuery = queryOptions({
  queryKey: ['account', 'invitations'],
  queryFn: async ({ signal }): Promise<Invitation[]> => {
    const pages = await allPages((cursor) =>
      dataOf(accountApi.GET('/api/v1/invitations', { params: pageOf(cursor), signal })),
    );
    return pages.flatMap(({ invitations }) => invitations);
  },
});
