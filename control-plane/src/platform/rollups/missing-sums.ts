import type { RollupChange, RollupRow, Sums } from './model.js';

/** Returns what rows lack of a full count; what they have too much of is below zero. Pure. */
export function missing(counted: readonly RollupChange[], rows: readonly RollupRow[]): RollupChange[] {
  const keyOf = (subject: string, id: string, day: number) => `${subject}/${id}/${day}`;
  const left = new Map(rows.map((row) => [keyOf(row.subject, row.subject_id, row.day.getTime()), row]));
  const changes = counted.map(({ add, ...row }) => {
    const key = keyOf(row.subject, row.subject_id, row.day);
    const change = { ...row, add: difference(add, left.get(key)?.sums ?? {}) };
    left.delete(key);
    return change;
  });
  const tooMuch = [...left.values()].map(({ subject, subject_id, day, sums }) => ({
    subject,
    subject_id,
    day: day.getTime(),
    add: difference({}, sums),
  }));
  return [...changes, ...tooMuch].filter(({ add }) => Object.keys(add).length > 0);
}

function difference(wanted: Sums, had: Sums): Sums {
  const names = new Set([...Object.keys(wanted), ...Object.keys(had)]);
  const all = [...names].map((name): [string, number] => [name, (wanted[name] ?? 0) - (had[name] ?? 0)]);
  return Object.fromEntries(all.filter(([, value]) => value !== 0));
}
