import { diffArrays } from 'diff';

/** A line of a text, and whether the change took it out, put it in or left it. */
export interface DiffLine {
  readonly kind: 'removed' | 'added' | 'kept';
  readonly text: string;
}

/** Texts that differ in more lines than this are shown whole, one after the other: comparing takes the square of it. */
const MOST_CHANGES = 2000;

/** Returns how a text becomes another, line by line. Pure. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const parts = diffArrays(a, b, { maxEditLength: MOST_CHANGES }) ?? [
    { value: a, removed: true, added: false },
    { value: b, removed: false, added: true },
  ];
  return parts.flatMap(({ value, removed, added }) =>
    value.map((text) => ({ kind: removed ? 'removed' : added ? 'added' : 'kept', text }) as const),
  );
}
