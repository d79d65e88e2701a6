/** A line of a text, and whether the change took it out, put it in or left it. */
export interface DiffLine {
  readonly kind: 'removed' | 'added' | 'kept';
  readonly text: string;
}

/** Texts with more lines are shown whole, one after the other. */
const MOST_LINES = 2000;

/** Returns how a text becomes another, line by line, by their longest common lines. Pure. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const removed = (lines: readonly string[]) => lines.map((text) => ({ kind: 'removed' as const, text }));
  const added = (lines: readonly string[]) => lines.map((text) => ({ kind: 'added' as const, text }));
  if (a.length * b.length > MOST_LINES * MOST_LINES) return [...removed(a), ...added(b)];

  // common[i][j]: how many lines the texts have in common from line i of one and line j of the other.
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] =
        a[i] === b[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ kind: 'kept', text: a[i]! });
      i++;
      j++;
    } else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) {
      lines.push({ kind: 'removed', text: a[i++]! });
    } else lines.push({ kind: 'added', text: b[j++]! });
  }
  return [...lines, ...removed(a.slice(i)), ...added(b.slice(j))];
}
