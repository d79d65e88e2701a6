import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError, remedyOf } from '../api/errors.js';
import { Button } from './button.js';

interface ErrorStateProps {
  readonly error: unknown;
  /** What failed, as "The calls could not be loaded". */
  readonly title: string;
  readonly onRetry?: () => void;
}

/** Says what failed, why, what to do about it, and by which id support finds it. */
export function ErrorState({ error, title, onRetry }: ErrorStateProps): ReactNode {
  const remedy = remedyOf(error);
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <div
      role="alert"
      className="flex flex-col items-start gap-2 rounded-lg border border-bad/40 bg-bad-soft p-4"
    >
      <h2 className="flex items-center gap-2 font-semibold text-bad">
        <CircleAlert aria-hidden className="size-4 shrink-0" />
        {title}
      </h2>
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {remedy !== null && <p className="text-muted">{remedy}</p>}
      {requestId !== null && (
        <p className="text-xs text-muted">
          Request <code className="font-mono">{requestId}</code>
        </p>
      )}
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}
