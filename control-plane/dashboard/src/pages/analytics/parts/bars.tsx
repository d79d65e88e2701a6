import type { ReactNode } from 'react';

interface Bar {
  readonly name: string;
  /** 0 to 1. */
  readonly share: number;
  readonly value: string;
}

/** Shares of a whole, each with its name and value. */
export function Bars({ rows }: { readonly rows: readonly Bar[] }): ReactNode {
  return (
    <dl className="px-4 py-2">
      {rows.map(({ name, share, value }) => (
        <div key={name} className="flex items-center gap-3 py-1">
          <dt className="w-24 text-muted">{name}</dt>
          <dd className="flex flex-1 items-center gap-3">
            <span aria-hidden className="h-1.5 flex-1 overflow-hidden rounded-sm bg-sunken">
              <span className="block h-full bg-accent" style={{ width: `${share * 100}%` }} />
            </span>
            <span className="w-28 text-right tabular-nums">{value}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
