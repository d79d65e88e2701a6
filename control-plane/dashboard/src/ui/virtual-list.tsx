import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { classes } from './classes.js';
import { rowByKey, withRow } from './row-keys.js';

interface VirtualListProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  /** What a row shows. */
  readonly children: (row: Row, index: number) => ReactNode;
  /** How high a row is before it was measured, in px. */
  readonly rowHeight: number;
  /** Between two rows, and before the first and after the last, in px. */
  readonly gap?: number;
  readonly padding?: number;
  /** A conversation that goes on: it stays at its end unless somebody scrolls back. */
  readonly followsEnd?: boolean;
  /** A row that comes into sight as soon as it is another; -1: none. */
  readonly shownRow?: number;
  /** Shown where there is no row. */
  readonly empty?: ReactNode;
  readonly className?: string;
}

/** How close to the end counts as reading along, in px. */
const NEAR = 80;
/** Rows beyond those in sight. */
const OVERSCAN = 8;
/** What a row is opened or pressed by. */
const CONTROL = 'a, button, summary';

/**
 * A list of any length with rows of any height: only those in sight are in the page, and the one that has the focus.
 * Its box scrolls, so it needs a height or a greatest one. In a row, ↑ and ↓ (or j and k) go from row to row; Home and
 * End go to the first and the last.
 */
export function VirtualList<Row>({
  label,
  rows,
  idOf,
  children,
  rowHeight,
  gap = 0,
  padding = 0,
  followsEnd = false,
  shownRow = -1,
  empty,
  className,
}: VirtualListProps<Row>): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const [keptId, setKeptId] = useState<string | null>(null);
  const wantsFocus = useRef(false);
  const kept = keptId === null ? -1 : rows.findIndex((row) => idOf(row) === keptId);
  const rangeExtractor = useCallback((range: Range) => withRow(defaultRangeExtractor(range), kept), [kept]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : idOf(row);
    },
    rangeExtractor,
    gap,
    paddingStart: padding,
    paddingEnd: padding,
    overscan: OVERSCAN,
    initialRect: { width: 0, height: 800 },
    ...(followsEnd && { anchorTo: 'end', followOnAppend: true, scrollEndThreshold: NEAR }),
  });
  useEffect(() => {
    if (followsEnd) virtual.scrollToEnd();
  }, [followsEnd, virtual]);
  useEffect(() => {
    if (shownRow >= 0) virtual.scrollToIndex(shownRow);
  }, [shownRow, virtual]);
  useLayoutEffect(() => {
    if (!wantsFocus.current || kept < 0) return;
    wantsFocus.current = false;
    const row = list.current?.querySelector<HTMLElement>(`:scope > [data-index="${kept}"]`);
    (row?.querySelector<HTMLElement>(CONTROL) ?? row)?.focus({ preventScroll: true });
  }, [kept]);

  const rowOf = (target: EventTarget): number => {
    const row = [...(list.current?.children ?? [])].find(
      (child) => target instanceof Node && child.contains(target),
    );
    return row instanceof HTMLElement ? Number(row.dataset.index) : -1;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const { target, key } = event;
    // What scrolls or is written in within a row has its own use for these keys.
    const isOwn =
      target instanceof Element &&
      target.closest('input, select, textarea, [tabindex="0"]') === scroller.current;
    if (!isOwn || event.metaKey || event.ctrlKey || event.altKey) return;
    const at = rowOf(target);
    const next = rowByKey(key, at, rows.length);
    // Outside of the rows the arrows scroll, as everywhere.
    if (next === null || (at < 0 && key !== 'Home' && key !== 'End')) return;
    event.preventDefault();
    virtual.scrollToIndex(next);
    const row = rows[next];
    if (at < 0 || next === at || row === undefined) return;
    wantsFocus.current = true;
    setKeptId(idOf(row));
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its role is one of two, and both take a label
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: as above
    <div
      ref={scroller}
      role={followsEnd ? 'log' : 'group'}
      // Old lines that come into the page again are not read out.
      aria-live={followsEnd ? (virtual.isAtEnd() ? 'polite' : 'off') : undefined}
      aria-label={label}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onFocus={({ target }) => {
        const row = rows[rowOf(target)];
        setKeptId(row === undefined ? null : idOf(row));
      }}
      onBlur={({ relatedTarget }) => {
        if (relatedTarget !== null) setKeptId(null);
      }}
      className={classes('relative overflow-auto focus-visible:outline-offset-[-2px]', className)}
    >
      {rows.length === 0 ? (
        empty
      ) : (
        <ol ref={list} aria-label={label} className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const row = rows[index];
            return (
              row !== undefined && (
                <li
                  key={String(key)}
                  ref={virtual.measureElement}
                  tabIndex={-1}
                  data-index={index}
                  aria-setsize={rows.length}
                  aria-posinset={index + 1}
                  style={{ transform: `translateY(${start}px)` }}
                  className="absolute inset-x-0 top-0 focus-visible:outline-offset-[-2px]"
                >
                  {children(row, index)}
                </li>
              )
            );
          })}
        </ol>
      )}
    </div>
  );
}

/** Which rows are unfolded, by id: a row that went out of sight and comes back is as it was left. */
export function useUnfolded(): {
  readonly isUnfolded: (id: string) => boolean;
  readonly unfold: (id: string, open: boolean) => void;
} {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  return {
    isUnfolded: (id) => open.has(id),
    unfold: (id, isOpen) =>
      setOpen((before) => {
        if (before.has(id) === isOpen) return before;
        const after = new Set(before);
        if (isOpen) after.add(id);
        else after.delete(id);
        return after;
      }),
  };
}
