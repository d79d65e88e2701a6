import type { RollupChange, Sums } from './model.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the beginning of the day of a time in UTC, in epoch ms. Pure. */
export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS;
}

/** Returns free text as a part of a name. */
export function asPart(text: string): string {
  return Buffer.from(text).toString('hex');
}

/** Returns the free text of a part. */
export function fromPart(part: string): string {
  return Buffer.from(part, 'hex').toString();
}

/** Adds sums up by name. Pure. */
export function addedUp(all: Iterable<Sums>): Sums {
  const total: Record<string, number> = {};
  for (const sums of all) {
    for (const [name, value] of Object.entries(sums)) total[name] = (total[name] ?? 0) + value;
  }
  return total;
}

/** Gathers changes by row while documents are counted. */
export class Tally {
  readonly #rows = new Map<string, { change: Omit<RollupChange, 'add'>; add: Record<string, number> }>();

  /** Returns a function that adds to a row's sums; nothing for what is not above zero. */
  row(subject: string, subjectId: string, at: number): (name: string, value?: number) => void {
    const change = { subject, subject_id: subjectId, day: dayOf(at) };
    const key = `${subject}/${subjectId}/${change.day}`;
    const known = this.#rows.get(key) ?? { change, add: {} };
    this.#rows.set(key, known);
    return (name, value = 1) => {
      if (value !== 0) known.add[name] = (known.add[name] ?? 0) + value;
    };
  }

  changes(): RollupChange[] {
    return [...this.#rows.values()]
      .filter(({ add }) => Object.keys(add).length > 0)
      .map(({ change, add }) => ({ ...change, add }));
  }
}

/** Returns the parts by a key of theirs, in their order. Pure. */
export function partsBy<Part>(parts: readonly Part[], keyOf: (part: Part) => string): Map<string, Part[]> {
  const groups = new Map<string, Part[]>();
  for (const part of parts) {
    const key = keyOf(part);
    const group = groups.get(key);
    if (group) group.push(part);
    else groups.set(key, [part]);
  }
  return groups;
}
