import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isOfImport } from '../api/errors.js';
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
  if (isOfImport(error)) {
    return (
      <div className="p-4 md:p-6">
        <ErrorState
          error={error}
          title="This page could not be fetched"
          remedy="The dashboard has been updated since it was opened, or the service cannot be reached."
          retry="Reload the dashboard"
          onRetry={() => location.reload()}
        />
      </div>
    );
  }
  return (
    <div className="p-4 md:p-6">
      <ErrorState error={error} title="This page failed" onRetry={reset} />
    </div>
  );
}
