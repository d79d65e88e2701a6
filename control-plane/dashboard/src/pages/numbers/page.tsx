import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, getRouteApi, useNavigate } from '@tanstack/react-router';
import { Hash, Plus } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useApi } from '../../api/mode.js';
import type { PhoneNumber } from '../../api/types.js';
import { label } from '../../format/words.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { columnsOf } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { List } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { agentsQuery } from '../agents/query.js';
import { BuyNumber } from './buy.js';
import { ImportNumber } from './import.js';
import { NumberDialog } from './number-dialog.js';
import { numbersQuery } from './query.js';
import { standingOf } from './standing.js';

export const route = createLazyRoute('/numbers')({ component: NumbersPage });
const routeApi = getRouteApi('/numbers');

interface NumberRow {
  readonly phone: PhoneNumber;
  readonly agent: string | null;
}
const column = columnsOf<NumberRow>();

function NumbersPage(): ReactNode {
  const context = useApi();
  const navigate = useNavigate({ from: '/numbers' });
  const { phone: openId } = routeApi.useSearch();
  const numbers = useQuery(numbersQuery(context));
  const agents = useQuery(agentsQuery(context));
  const [asked, setAsked] = useState<'buy' | 'import' | null>(null);
  const open = useMemo(
    () => (phone: string | undefined) =>
      void navigate({ search: (before) => ({ ...before, phone }), replace: true }),
    [navigate],
  );
  const columns = useMemo(() => columnsWith(open), [open]);
  const rows = useMemo(() => {
    const names = new Map((agents.data ?? []).map(({ id, name }) => [id, name]));
    return (numbers.data ?? []).map((phone) => ({
      phone,
      agent: phone.agent_id === null ? null : (names.get(phone.agent_id) ?? '…'),
    }));
  }, [numbers.data, agents.data]);
  const shown = numbers.data?.find(({ id }) => id === openId);
  const buy = (
    <Button needs="buyPhoneNumber" variant="primary" onClick={() => setAsked('buy')}>
      <Plus aria-hidden className="size-4" /> Buy a number
    </Button>
  );
  return (
    <Page
      fill
      title="Numbers"
      description={
        context.mode === 'live'
          ? 'Agents answer calls to these numbers, and call from those that are verified.'
          : 'Numbers of the sandbox: simulated, without cost. Agents answer and call with them as with real ones.'
      }
      actions={
        <>
          <Button needs="importPhoneNumber" onClick={() => setAsked('import')}>
            Import
          </Button>
          {buy}
        </>
      }
    >
      <List
        query={numbers}
        failure="The numbers could not be loaded"
        label="Numbers"
        rows={rows}
        columns={columns}
        idOf={({ phone }) => phone.id}
        onOpen={({ phone }) => open(phone.id)}
        empty={
          <EmptyState icon={Hash} title="No numbers in this mode" action={buy}>
            Buy a number, or import one that you have, and assign an agent: it answers every call to it. To
            call from an imported number, verify it by a code first.
          </EmptyState>
        }
      />
      {shown && (
        <NumberDialog
          key={shown.id}
          phone={shown}
          agents={agents.data ?? []}
          onClose={() => open(undefined)}
        />
      )}
      {asked === 'buy' && <BuyNumber onClose={() => setAsked(null)} onBought={open} />}
      {asked === 'import' && <ImportNumber onClose={() => setAsked(null)} onImported={open} />}
    </Page>
  );
}

const columnsWith = (open: (id: string) => void) => [
  column.accessor('phone.phone_number', {
    header: 'Number',
    meta: { width: '11rem', phoneWidth: '8rem' },
    cell: ({ row: { original } }) => (
      <button
        type="button"
        className="font-medium tabular-nums hover:underline"
        onClick={() => open(original.phone.id)}
      >
        {original.phone.phone_number}
      </button>
    ),
  }),
  column.accessor('agent', {
    header: 'Answered by',
    meta: { width: 'minmax(8rem, 1fr)', phoneWidth: 'minmax(0, 1fr)' },
    cell: ({ getValue }) => getValue() ?? <span className="text-muted">Nobody</span>,
  }),
  column.display({
    id: 'standing',
    header: 'Caller ID',
    meta: { width: '8rem' },
    cell: ({ row: { original } }) => {
      const { word, tone, meaning } = standingOf(original.phone);
      return (
        <Badge tone={tone} title={meaning}>
          {word}
        </Badge>
      );
    },
  }),
  column.accessor('phone.provider', {
    header: 'Carrier',
    meta: { width: '8rem' },
    cell: ({ getValue }) => <span className="text-muted">{label(getValue())}</span>,
  }),
  column.accessor('phone.source', {
    header: 'Source',
    meta: { width: '8rem' },
    cell: ({ getValue }) => <span className="text-muted">{label(getValue())}</span>,
  }),
];
