import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { type Api, dataOf, type Mode } from '../../api/client.js';
import { pagesPollMs } from '../../api/polling.js';
import type { Campaign, CampaignStatus, ContactStatus } from '../../api/types.js';

interface Context {
  readonly api: Api;
  readonly mode: Mode;
}

const PAGE = 100;
/** How often what goes on is read again, in ms. */
const RUNNING_MS = 4000;

/** Whether something happens to a campaign without anybody's doing. */
const goesOn = (status: CampaignStatus | undefined) => status === 'running' || status === 'scheduled';

/** The campaigns of a status, the newest first, page by page. */
export const campaignsQuery = ({ api, mode }: Context, status: CampaignStatus | undefined) =>
  infiniteQueryOptions({
    queryKey: [mode, 'campaigns', 'list', status ?? null],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/api/v1/campaigns', {
          params: {
            query: {
              limit: PAGE,
              ...(status && { status }),
              ...(pageParam !== null && { cursor: pageParam }),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ campaigns }) => campaigns.some((campaign) => goesOn(campaign.status)))
        ? pagesPollMs(RUNNING_MS, state.data)
        : false,
  });

/** One campaign with the numbers of its contacts. */
export const campaignQuery = ({ api, mode }: Context, campaignId: string) =>
  queryOptions({
    queryKey: [mode, 'campaigns', campaignId],
    staleTime: RUNNING_MS,
    queryFn: ({ signal }): Promise<Campaign> =>
      dataOf(
        api.GET('/api/v1/campaigns/{campaign_id}', { params: { path: { campaign_id: campaignId } }, signal }),
      ),
    refetchInterval: ({ state }) => (hasOpenCalls(state.data) ? RUNNING_MS : false),
  });

/** Also a paused or cancelled one, until its last calls have ended. */
export const hasOpenCalls = (campaign: Campaign | undefined): boolean =>
  campaign !== undefined &&
  (goesOn(campaign.status) || campaign.contact_counts.dialing + campaign.contact_counts.in_progress > 0);

/** Funnel, outcomes and rates. */
export const campaignAnalyticsQuery = ({ api, mode }: Context, campaignId: string, live: boolean) =>
  queryOptions({
    queryKey: [mode, 'campaigns', campaignId, 'analytics'],
    refetchInterval: live ? RUNNING_MS : false,
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/campaigns/{campaign_id}/analytics', {
          params: { path: { campaign_id: campaignId } },
          signal,
        }),
      ),
  });

/** The contacts of a status in the order of the list, page by page. */
export const contactsQuery = (
  { api, mode }: Context,
  campaignId: string,
  status: ContactStatus | undefined,
  live: boolean,
) =>
  infiniteQueryOptions({
    queryKey: [mode, 'campaigns', campaignId, 'contacts', status ?? null],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/api/v1/campaigns/{campaign_id}/contacts', {
          params: {
            path: { campaign_id: campaignId },
            query: { limit: PAGE, offset: pageParam, ...(status && { status }) },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ has_more }, pages) => (has_more ? pages.length * PAGE : null),
    refetchInterval: ({ state }) => (live ? pagesPollMs(RUNNING_MS, state.data) : false),
  });

/** What was extracted from the calls that ended as `outcome`, the latest first, page by page. */
export const resultsQuery = (
  { api, mode }: Context,
  campaignId: string,
  outcome: string | undefined,
  live: boolean,
) =>
  infiniteQueryOptions({
    queryKey: [mode, 'campaigns', campaignId, 'results', outcome ?? null],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/api/v1/campaigns/{campaign_id}/extracted-data', {
          params: {
            path: { campaign_id: campaignId },
            query: { limit: PAGE, offset: pageParam, ...(outcome && { outcome }) },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ has_more }, pages) => (has_more ? pages.length * PAGE : null),
    refetchInterval: ({ state }) => (live ? pagesPollMs(RUNNING_MS, state.data) : false),
  });

/** The numbers that a call may show. */
export const phonesQuery = ({ api, mode }: Context) =>
  queryOptions({
    queryKey: [mode, 'phones'],
    queryFn: async ({ signal }) => (await dataOf(api.GET('/api/v1/phones', { signal }))).phone_numbers,
  });
