import { type ReactNode, useEffect, useState } from 'react';
import { Button } from './button.js';
import { DataTable, type DataTableProps } from './data-table.js';
import { ErrorState } from './error-state.js';
import { SkeletonRows } from './skeleton.js';

/** What a list asks for: whole, or page by page. */
interface ListQuery {
  readonly isPending: boolean;
  readonly isError: boolean;
  readonly error: unknown;
  readonly data: unknown;
  readonly refetch: () => unknown;
  readonly hasNextPage?: boolean;
  readonly isFetchingNextPage?: boolean;
  readonly fetchNextPage?: () => unknown;
}

interface ListProps<Row extends object> extends Omit<DataTableProps<Row>, 'more'> {
  readonly query: ListQuery;
  /** The title of the error, as "The calls could not be loaded". */
  readonly failure: string;
  /** Shown where there is nothing. */
  readonly empty: ReactNode;
  /** Of a search that looks through so much at a time: how many pages it has looked through. */
  readonly lookedThrough?: number;
  /** Of such a search: how far it got, in words. */
  readonly progress?: string | undefined;
}

/** Pages that a search looks through unasked. */
const UNASKED_PAGES = 10;

/** A list in all its states: what is loading, what failed, nothing, and the rows, of which more come as one scrolls. */
export function List<Row extends object>({
  query,
  failure,
  empty,
  lookedThrough = 0,
  progress,
  ...table
}: ListProps<Row>): ReactNode {
  const [allowed, setAllowed] = useState(UNASKED_PAGES);
  const { hasNextPage = false, isFetchingNextPage = false, fetchNextPage } = query;
  const pauses = hasNextPage && lookedThrough >= allowed;
  const goesOn = hasNextPage && !pauses && !query.isError;
  const isEmpty = table.rows.length === 0;
  useEffect(() => {
    if (isEmpty && goesOn && !isFetchingNextPage) fetchNextPage?.();
  }, [isEmpty, goesOn, isFetchingNextPage, fetchNextPage]);
  const reached = progress !== undefined && (
    <p aria-live="polite" className="text-sm text-muted">
      {progress}
    </p>
  );
  if (query.isPending || (isEmpty && goesOn)) {
    return (
      <>
        {reached}
        <SkeletonRows />
      </>
    );
  }
  const problem = query.isError && (
    <ErrorState title={failure} error={query.error} onRetry={() => void query.refetch()} />
  );
  if (query.data === undefined) return problem;
  return (
    <>
      {reached}
      {isEmpty ? (
        empty
      ) : fetchNextPage === undefined ? (
        <DataTable {...table} />
      ) : (
        <DataTable
          {...table}
          more={{ has: goesOn, loading: isFetchingNextPage, load: () => void fetchNextPage() }}
        />
      )}
      {problem}
      {pauses && (
        <Button
          className="self-center"
          busy={isFetchingNextPage}
          onClick={() => {
            setAllowed(lookedThrough + UNASKED_PAGES);
            fetchNextPage?.();
          }}
        >
          Look through older ones
        </Button>
      )}
    </>
  );
}
