import type { ReactNode } from 'react';
import { counted } from '../../../format/words.js';
import { Badge } from '../../../ui/badge.js';
import { columnsOf, DataTable } from '../../../ui/data-table.js';
import type { CheckedContacts, RowProblem } from './contacts-csv.js';

const column = columnsOf<RowProblem>();
const COLUMNS = [
  column.accessor('row', { header: 'Row', meta: { width: '4.5rem', phoneWidth: '3rem', align: 'end' } }),
  column.accessor('phone', {
    header: 'Phone number',
    meta: { width: '14rem' },
    cell: ({ getValue }) => <code className="font-mono text-xs">{getValue() || '–'}</code>,
  }),
  column.accessor('problem', {
    header: 'What is wrong',
    meta: { width: 'minmax(12rem, 1fr)', phoneWidth: 'minmax(0, 1fr)' },
    cell: ({ getValue }) => <span title={getValue()}>{getValue()}</span>,
  }),
];

/** What becomes of the file: who is called, and row by row what is left out. */
export function Check({ checked }: { readonly checked: CheckedContacts }): ReactNode {
  const { contacts, problems } = checked;
  return (
    <div className="flex flex-col gap-3">
      <p role="status" className="flex flex-wrap gap-2">
        <Badge tone={contacts.length > 0 ? 'good' : 'bad'}>
          {counted(contacts.length, 'contact')} to call
        </Badge>
        {problems.length > 0 && <Badge tone="warn">{counted(problems.length, 'row')} left out</Badge>}
      </p>
      {problems.length > 0 && (
        <>
          <p className="text-muted">
            Correct these rows in the file and choose it again, or go on without them. A number needs its
            country, as +14155550123; without one it counts as US.
          </p>
          <DataTable
            label="Rows that are left out"
            rows={problems}
            columns={COLUMNS}
            idOf={({ row }) => String(row)}
            className="max-h-80"
          />
        </>
      )}
    </div>
  );
}
