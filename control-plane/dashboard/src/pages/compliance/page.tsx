import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { createLazyRoute, getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useApi } from '../../api/mode.js';
import type { ComplianceSummary } from '../../api/types.js';
import { Button } from '../../ui/button.js';
import { columnsOf } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { List } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { Time } from '../../ui/time.js';
import { agentsQuery } from '../agents/query.js';
import { CheckDialog } from './check-dialog.js';
import { CheckNumber } from './check-number.js';
import { Filters } from './filters.js';
import { DecisionBadge } from './outcomes.js';
import { checksQuery } from './query.js';
import { reasonText } from './words.js';

export const route = createLazyRoute('/compliance')({ component: CompliancePage });
const routeApi = getRouteApi('/compliance');

interface CheckRow {
  readonly check: ComplianceSummary;
  readonly agent: string;
}

const column = columnsOf<CheckRow>();
const COLUMNS = [
  column.accessor('check.checked_at', {
    header: 'When',
    meta: { width: '7.5rem' },
    cell: ({ getValue }) => <Time quiet at={getValue()} />,
  }),
  column.display({
    id: 'number',
    header: 'Number',
    meta: { width: '11rem', phoneWidth: 'minmax(0, 1fr)' },
    cell: ({ row: { original } }) => <NumberLink check={original.check} />,
  }),
  column.accessor('check.decision', {
    header: 'Decision',
    meta: { width: '6.5rem', phoneWidth: '6rem' },
    cell: ({ getValue }) => <DecisionBadge decision={getValue()} />,
  }),
  column.display({
    id: 'why',
    header: 'Why',
    meta: { width: 'minmax(12rem, 2fr)' },
    cell: ({ row: { original } }) => original.check.reasons.map(reasonText).join(', ') || '–',
  }),
  column.accessor('agent', { header: 'Agent', meta: { width: 'minmax(8rem, 1fr)' } }),
  column.display({
    id: 'where',
    header: 'Where',
    meta: { width: 'minmax(9rem, 1fr)' },
    cell: ({ row: { original } }) => (
      <span className="text-muted">
        {[original.check.state, original.check.timezone].filter(Boolean).join(' · ') || '–'}
      </span>
    ),
  }),
];

/** What the gate decided before each call, with its evidence; and what it would decide now. */
function CompliancePage(): ReactNode {
  const context = useApi();
  const navigate = useNavigate({ from: '/compliance' });
  const { check, ...filters } = routeApi.useSearch();
  const checks = useInfiniteQuery(checksQuery(context, filters));
  const agents = useQuery(agentsQuery(context));
  const [asks, setAsks] = useState(false);
  const rows = useMemo(() => {
    const names = new Map((agents.data ?? []).map(({ id, name }) => [id, name]));
    const nameOf = (id: string | null) => (id === null ? 'No agent' : (names.get(id) ?? '…'));
    return (checks.data?.pages.flatMap((page) => page.checks) ?? []).map((one) => ({
      check: one,
      agent: nameOf(one.agent_id),
    }));
  }, [checks.data, agents.data]);
  const open = (id: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, check: id }), replace: true });
  const isFiltered = [filters.number, filters.decision, filters.reason].some((one) => one !== undefined);
  const checkNumber = (
    <Button variant="primary" onClick={() => setAsks(true)}>
      <ShieldCheck aria-hidden className="size-4" /> Check a number
    </Button>
  );
  return (
    <Page
      fill
      title="Compliance"
      description="Before every dial a gate checks do-not-call lists, calling hours, consent to a recording, capacity and disclosure. What it decided is kept here with its evidence."
      actions={checkNumber}
    >
      <Filters search={filters} />
      <List
        query={checks}
        failure="The checks could not be loaded"
        label="Compliance checks"
        rows={rows}
        columns={COLUMNS}
        idOf={(row) => row.check.id}
        onOpen={(row) => open(row.check.id)}
        empty={
          isFiltered ? (
            <EmptyState
              icon={ShieldCheck}
              title="No check fits"
              action={
                <Button asChild>
                  <Link to="/compliance" search={{}}>
                    Show all checks
                  </Link>
                </Button>
              }
            >
              It may be of the other mode: this is {context.mode === 'live' ? 'live' : 'the sandbox'}.
            </EmptyState>
          ) : (
            <EmptyState icon={ShieldCheck} title="Nothing was checked yet" action={checkNumber}>
              Every outbound call has a check, and so has every call that was refused. Check a number to see
              whether an agent may call it now, and why not.
            </EmptyState>
          )
        }
      />
      {check !== undefined && <CheckDialog checkId={check} onClose={() => open(undefined)} />}
      {asks && <CheckNumber onClose={() => setAsks(false)} onChecked={open} />}
    </Page>
  );
}

function NumberLink({ check }: { readonly check: ComplianceSummary }): ReactNode {
  return (
    <Link
      to="/compliance"
      search={(before) => ({ ...before, check: check.id })}
      className="font-medium tabular-nums hover:underline"
    >
      {check.to_number ?? 'Erased'}
    </Link>
  );
}
