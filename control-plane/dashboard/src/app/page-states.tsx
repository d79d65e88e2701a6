import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ErrorState } from '../ui/error-state.js';
import { Skeleton, SkeletonRows } from '../ui/skeleton.js';

/** Holds the place of a page whose code is loading. */
export function PagePending(): ReactNode {
  return (
    <div className="p-4 md:p-6">
      <Skeleton className="h-7 w-40" />
      <SkeletonRows />
    </div>
  );
}

/** Takes the place of a page that failed; the rest of the dashboard goes on. */
export function PageError({ error, reset }: ErrorComponentProps): ReactNode {
  return (
    <div className="p-4 md:p-6">
      <ErrorState error={error} title="This page failed" onRetry={reset} />
    </div>
  );
}
