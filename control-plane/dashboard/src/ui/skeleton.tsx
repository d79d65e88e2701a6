import type { ReactNode } from 'react';
import { classes } from './classes.js';

/** Holds the place of what is loading, in its size. */
export function Skeleton({ className }: { readonly className?: string }): ReactNode {
  return <div aria-hidden className={classes('skeleton h-4', className)} />;
}

/** Holds the place of a list. */
export function SkeletonRows({ rows = 8 }: { readonly rows?: number }): ReactNode {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-3 p-4">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same
        <Skeleton key={row} className={row % 3 === 2 ? 'w-2/3' : 'w-full'} />
      ))}
    </div>
  );
}
