import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError, remedyOf } from '../api/errors.js';
import { Button } from './button.js';

interface ErrorStateProps {
  readonly error: unknown;
  /** What failed, as "The calls could not be loaded". */
  readonly title: string;
  /** What to do about it, where the error does not say. */
  readonly remedy?: string;
  /** What the button says. */
  readonly retry?: string;
  readonly onRetry?: () => void;
}

/** Says what failed, why, what to do about it, and by which id support finds it. */
export function ErrorState({
  error,
  title,
  remedy = remedyOf(error) ?? undefined,
  retry = 'Try again',
  onRetry,
}: ErrorStateProps): ReactNode {
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
      {remedy !== undefined && <p className="text-muted">{remedy}</p>}
      {requestId !== null && (
        <p className="text-xs text-muted">
          Request <code className="font-mono">{requestId}</code>
        </p>
      )}
      {onRetry !== undefined && <Button onClick={onRetry}>{retry}</Button>}
    </div>
  );
}
