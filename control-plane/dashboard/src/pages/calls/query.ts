import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { type Api, dataOf, type Mode } from '../../api/client.js';
import { pagesPollMs } from '../../api/polling.js';
import { RECENT } from '../../api/recent-calls.js';
import type { Call, CallDetail } from '../../api/types.js';
import { pollMs } from '../webhooks/deliveries.js';
import { detailPollMs } from './detail-polling.js';
import type { CallsSearch } from './search.js';
import { isOver } from './status.js';

interface Context {
  readonly api: Api;
  readonly mode: Mode;
}

const PAGE = 100;
/** How often a list with calls that go on is read again, in ms. */
const LIST_MS = 5000;

/** The calls that fit the filters and in which the words were said, the newest first, page by page. */
export const callsQuery = ({ api, mode }: Context, { status, direction, agent, q }: CallsSearch) =>
  infiniteQueryOptions({
    queryKey: [mode, 'calls', { status, direction, agent, q }],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/api/v1/calls', {
          params: {
            query: {
              limit: PAGE,
              ...(status && { status }),
              ...(direction && { direction }),
              ...(agent && { agent_id: agent }),
              ...(q && { q }),
              // How many there are to look through is counted once.
              ...(q && pageParam === null && { include_total: true }),
              ...(pageParam !== null && { cursor: pageParam }),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ calls }) => calls.some((call) => !isOver(call.status)))
        ? pagesPollMs(LIST_MS, state.data)
        : false,
  });

/** Calls that ring or go on. */
interface RunningCalls {
  /** The newest first, at most `RECENT` of each status. */
  readonly calls: readonly Call[];
  /** Whether there are others. */
  readonly isCut: boolean;
}

/** The calls that ring or go on. */
export const runningCallsQuery = ({ api, mode }: Context) =>
  queryOptions({
    queryKey: [mode, 'calls', 'running'],
    refetchInterval: LIST_MS,
    queryFn: async ({ signal }): Promise<RunningCalls> => {
      const pages = await Promise.all(
        (['RINGING', 'IN_PROGRESS'] as const).map((status) =>
          dataOf(api.GET('/api/v1/calls', { params: { query: { limit: RECENT, status } }, signal })),
        ),
      );
      return {
        calls: pages.flatMap(({ calls }) => calls).sort((a, b) => b.created_at.localeCompare(a.created_at)),
        isCut: pages.some(({ has_more }) => has_more),
      };
    },
  });

/** One call with everything that is known of it; read again while more of it is to come. */
export const callQuery = ({ api, mode }: Context, callId: string) =>
  queryOptions({
    queryKey: [mode, 'calls', callId],
    queryFn: ({ signal }): Promise<CallDetail> =>
      dataOf(api.GET('/api/v1/calls/{call_id}/detail', { params: { path: { call_id: callId } }, signal })),
    refetchInterval: ({ state }) => (state.data ? detailPollMs(state.data, Date.now()) : false),
  });

/** Why the agent of a call that is over spoke, waited or fell silent. */
export const decisionsQuery = ({ api, mode }: Context, callId: string) =>
  queryOptions({
    queryKey: [mode, 'calls', callId, 'decisions'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/calls/{call_id}/decisions', { params: { path: { call_id: callId } }, signal })),
  });

/** The attempts to bring the call's events to webhooks, the newest first; read again sooner while one is under way. */
export const callDeliveriesQuery = ({ api, mode }: Context, callId: string) =>
  infiniteQueryOptions({
    queryKey: [mode, 'calls', callId, 'deliveries'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/api/v1/calls/{call_id}/deliveries', {
          params: {
            path: { call_id: callId },
            query: { limit: RECENT, ...(pageParam !== null && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state }) => {
      const ms = pollMs(state.data?.pages.flatMap(({ deliveries }) => deliveries) ?? [], Date.now());
      return pagesPollMs(ms, state.data);
    },
  });
