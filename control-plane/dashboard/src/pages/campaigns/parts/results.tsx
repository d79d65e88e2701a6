import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ClipboardList, Download } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { toast } from 'sonner';
import { dataOf } from '../../../api/client.js';
import { useApi } from '../../../api/mode.js';
import type { Campaign, ExtractedRow } from '../../../api/types.js';
import { clock } from '../../../format/time.js';
import { label } from '../../../format/words.js';
import { Button } from '../../../ui/button.js';
import { columnsOf } from '../../../ui/data-table.js';
import { EmptyState } from '../../../ui/empty-state.js';
import { Select } from '../../../ui/field.js';
import { List } from '../../../ui/list.js';
import { campaignAnalyticsQuery, resultsQuery } from '../query.js';
import { extractedLine } from './extracted-line.js';

const routeApi = getRouteApi('/campaigns/$campaignId');
const column = columnsOf<ExtractedRow>();
const COLUMNS = [
  column.display({
    id: 'contact',
    header: 'Contact',
    meta: { width: 'minmax(9.5rem, 1fr)', phoneWidth: 'minmax(0, 1fr)' },
    cell: ({ row: { original } }) => (
      <Link to="/calls/$callId" params={{ callId: original.call_id }} className="font-medium hover:underline">
        {[original.first_name, original.last_name].filter(Boolean).join(' ') || original.phone || 'Call'}
      </Link>
    ),
  }),
  column.display({
    id: 'outcome',
    header: 'Outcome',
    meta: { width: 'minmax(7rem, 1fr)', phoneWidth: 'minmax(0, 1fr)' },
    cell: ({ row: { original } }) => (original.outcome === null ? '–' : label(original.outcome)),
  }),
  column.display({
    id: 'data',
    header: 'Extracted',
    meta: { width: 'minmax(10rem, 2fr)' },
    cell: ({ row: { original } }) => {
      const line = extractedLine(original.extracted_data);
      return <span title={line}>{line}</span>;
    },
  }),
  column.display({
    id: 'summary',
    header: 'Summary',
    meta: { width: 'minmax(10rem, 3fr)' },
    cell: ({ row: { original } }) => (
      <span title={original.summary ?? undefined} className="text-muted">
        {original.summary ?? '–'}
      </span>
    ),
  }),
  column.display({
    id: 'duration',
    header: 'Duration',
    meta: { width: '5rem', align: 'end' },
    cell: ({ row: { original } }) => clock(original.duration_seconds * 1000),
  }),
];

/** What the calls came to, with the extracted data; also as a CSV file. */
export function Results({
  campaign,
  live,
}: {
  readonly campaign: Campaign;
  readonly live: boolean;
}): ReactNode {
  const context = useApi();
  const { outcome } = routeApi.useSearch();
  const navigate = useNavigate({ from: '/campaigns/$campaignId' });
  const results = useInfiniteQuery(resultsQuery(context, campaign.id, outcome, live));
  const analytics = useQuery(campaignAnalyticsQuery(context, campaign.id, live));
  const rows = useMemo(() => results.data?.pages.flatMap((page) => page.data) ?? [], [results.data]);
  const outcomes = new Set([
    ...(analytics.data?.outcomes.map((one) => one.outcome) ?? []),
    ...(outcome === undefined ? [] : [outcome]),
  ]);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap justify-between gap-2">
        <Select
          aria-label="Outcome"
          className="w-auto!"
          value={outcome ?? ''}
          onChange={({ target }) =>
            void navigate({
              search: (before) => ({ ...before, outcome: target.value || undefined }),
              replace: true,
            })
          }
        >
          <option value="">Any outcome</option>
          {[...outcomes].map((one) => (
            <option key={one} value={one}>
              {label(one)}
            </option>
          ))}
        </Select>
        <Export campaign={campaign} outcome={outcome} />
      </div>
      <List
        query={results}
        failure="The results could not be loaded"
        label="Results"
        rows={rows}
        columns={COLUMNS}
        idOf={({ call_id }) => call_id}
        className="max-h-[34rem]"
        onOpen={({ call_id }) => void navigate({ to: '/calls/$callId', params: { callId: call_id } })}
        empty={
          outcome === undefined ? (
            <EmptyState icon={ClipboardList} title="No results yet">
              When a call has ended and is analysed, it is listed here with its outcome, its summary and the
              data that its agent extracts.
            </EmptyState>
          ) : (
            <EmptyState icon={ClipboardList} title="No call has this outcome">
              Choose another outcome above, or any.
            </EmptyState>
          )
        }
      />
    </div>
  );
}

/** The API wants a header for the mode, which a plain link cannot send. */
function Export({
  campaign,
  outcome,
}: {
  readonly campaign: Campaign;
  readonly outcome: string | undefined;
}): ReactNode {
  const { api } = useApi();
  const save = useMutation({
    mutationFn: () =>
      dataOf<Blob>(
        api.GET('/api/v1/campaigns/{campaign_id}/extracted-data/export', {
          params: { path: { campaign_id: campaign.id }, query: { ...(outcome && { outcome }) } },
          parseAs: 'blob',
        }) as Promise<{ data?: Blob; response: Response }>,
      ),
    onSuccess: (file) => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(file);
      link.download = `${campaign.name.replaceAll(/[^\p{L}\p{N} _-]/gu, '_')}.csv`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    },
    onError: (error) => toast.error(`The file could not be made. ${error.message}`),
  });
  return (
    <Button busy={save.isPending} onClick={() => save.mutate()}>
      <Download aria-hidden className="size-4" /> Export as CSV
    </Button>
  );
}
