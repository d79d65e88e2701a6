// biome-ignore-all lint/a11y/useSemanticElements: rows that are laid out by position are no <tr> for a browser
// biome-ignore-all lint/a11y/useFocusableInteractive: a row of headings is not opened
import { type ColumnDef, createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react';
import { classes } from './classes.js';
import { useRem } from './rem.js';
import { rowByKey } from './row-keys.js';

interface ColumnLayout {
  /** A grid track: `6rem`, `minmax(8rem, 2fr)`. */
  readonly width: string;
  /** The track on a phone; without one the column is left out there. */
  readonly phoneWidth?: string;
  readonly align?: 'end';
}

const features = tableFeatures({ columnMeta: {} as ColumnLayout });

/** Any value: a table's columns have different ones. */
// biome-ignore lint/suspicious/noExplicitAny: the type of a column's value is its own matter
export type Column<Row extends object> = ColumnDef<typeof features, Row, any>;

/** Helps to declare a table's columns; each needs `meta.width`. */
export const columnsOf = <Row extends object>() => createColumnHelper<typeof features, Row>();

/** The column of what can be done with a row. */
export const ACTIONS = { id: 'actions', header: () => <span className="sr-only">Actions</span> } as const;

/** In rem, as its class says. */
const ROW_HEIGHT = 2.75;
/** So many rows before the end of what is loaded, the next page is asked for. */
const AHEAD = 20;

export interface DataTableProps<Row extends object> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  /** Opens a row: by a click anywhere on it, or by Enter on it. */
  readonly onOpen?: (row: Row) => void;
  /** Of a list that comes in pages. */
  readonly more?: { readonly has: boolean; readonly loading: boolean; readonly load: () => void };
  readonly className?: string;
}

/**
 * A table of any length: only the rows in sight are in the page. ↑ and ↓ (or j and k) go from row to row, Home and End
 * to the first and the last, Enter opens one.
 */
export function DataTable<Row extends object>({
  label,
  rows,
  columns,
  idOf,
  onOpen,
  more,
  className,
}: DataTableProps<Row>): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const table = useTable({
    features,
    data: rows as Row[],
    columns: columns as Column<Row>[],
    getRowId: idOf,
  });
  const model = table.getRowModel().rows;
  const rowHeight = ROW_HEIGHT * useRem();
  const virtual = useVirtualizer({
    count: model.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => model[index]?.id ?? index,
    overscan: 12,
    initialRect: { width: 0, height: 800 },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height are elsewhere
  useLayoutEffect(() => virtual.measure(), [virtual, rowHeight]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more?.has && !more.loading && last >= model.length - AHEAD) more.load();
  }, [more, last, model.length]);

  const layouts = columns.map(({ meta }) => meta ?? { width: '1fr' });
  const tracks = {
    '--tracks': layouts.map(({ width }) => width).join(' '),
    '--phone-tracks': layouts.flatMap(({ phoneWidth }) => phoneWidth ?? []).join(' '),
  } as CSSProperties;
  const row = 'grid items-center gap-x-3 px-4 grid-cols-(--phone-tracks) md:grid-cols-(--tracks)';
  const cellClass = (layout: ColumnLayout | undefined) =>
    classes(
      'min-w-0 truncate',
      layout?.phoneWidth === undefined && 'hidden md:block',
      layout?.align === 'end' && 'text-right tabular-nums',
    );

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    // A field in a row has its own use for these keys.
    if (event.target instanceof Element && event.target.closest('input, select, textarea')) return;
    const at = rowIndexOf(event.target);
    const next = rowByKey(event.key, at, model.length);
    if (event.key === 'Enter' && event.target instanceof HTMLElement && event.target.role === 'row') {
      const opened = model[at];
      // Or the rest of the key would press what a dialog gives the focus to.
      event.preventDefault();
      if (opened) onOpen?.(opened.original);
    }
    if (next === null || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    const focus = () =>
      scroller.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus({ preventScroll: true });
    focus();
    virtual.scrollToIndex(next);
    // It may only come into the page by the scrolling.
    if (document.activeElement?.getAttribute('data-index') !== String(next)) requestAnimationFrame(focus);
  };

  return (
    <div
      ref={scroller}
      role="table"
      aria-label={label}
      aria-rowcount={more?.has ? -1 : model.length + 1}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
      tabIndex={0}
      onKeyDown={onKeyDown}
      style={tracks}
      className={classes('min-h-64 flex-1 overflow-auto rounded-lg border border-line bg-surface', className)}
    >
      <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-surface">
        {table.getHeaderGroups().map((group) => (
          <div
            key={group.id}
            role="row"
            aria-rowindex={1}
            className={classes(row, 'h-9 text-xs font-medium text-muted')}
          >
            {group.headers.map((header) => (
              <div key={header.id} role="columnheader" className={cellClass(header.column.columnDef.meta)}>
                <table.FlexRender header={header} />
              </div>
            ))}
          </div>
        ))}
      </div>
      <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const shown = model[index];
          if (!shown) return null;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the table handles keys for all its rows
            <div
              key={shown.id}
              role="row"
              tabIndex={-1}
              data-index={index}
              aria-rowindex={index + 2}
              onClick={(event) => {
                const onControl = event.target instanceof Element && event.target.closest('a, button, input');
                if (!onControl) onOpen?.(shown.original);
              }}
              style={{ transform: `translateY(${start}px)` }}
              className={classes(
                row,
                'absolute inset-x-0 top-0 h-11 border-b border-line focus-visible:outline-offset-[-2px]',
                onOpen && 'cursor-pointer hover:bg-sunken',
              )}
            >
              {shown.getAllCells().map((cell) => (
                <div key={cell.id} role="cell" className={cellClass(cell.column.columnDef.meta)}>
                  <table.FlexRender cell={cell} />
                </div>
              ))}
            </div>
          );
        })}
      </div>
      {more?.loading && <p className="px-4 py-3 text-xs text-muted">Loading more …</p>}
    </div>
  );
}

function rowIndexOf(target: EventTarget): number {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
  return row ? Number(row.dataset.index) : -1;
}
