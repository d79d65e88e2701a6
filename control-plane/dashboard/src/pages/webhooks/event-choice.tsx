import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { FieldErrors, UseFormRegister } from 'react-hook-form';
import { useApi } from '../../api/mode.js';
import { ErrorState } from '../../ui/error-state.js';
import { Skeleton } from '../../ui/skeleton.js';
import type { WebhookForm } from './form.js';
import { eventTypesQuery } from './query.js';

interface EventChoiceProps {
  readonly register: UseFormRegister<WebhookForm>;
  readonly errors: FieldErrors<WebhookForm>;
  readonly all: boolean;
}

/** Which events are sent: all, or some by checkbox, each with what it says. */
export function EventChoice({ register, errors, all }: EventChoiceProps): ReactNode {
  const types = useQuery(eventTypesQuery(useApi()));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Events</legend>
      <label className="flex items-center gap-2">
        <input type="checkbox" {...register('all')} className="size-4 accent-(--accent)" />
        All events, also those that are added later
      </label>
      {!all &&
        (types.isPending ? (
          <Skeleton className="h-40" />
        ) : types.isLoadingError ? (
          <ErrorState
            title="The events could not be loaded"
            error={types.error}
            onRetry={() => void types.refetch()}
          />
        ) : (
          <ul className="flex flex-col gap-2 rounded-md border border-line p-3">
            {types.data.map(({ event_type, description }) => (
              <li key={event_type}>
                <label className="flex items-start gap-2">
                  <input
                    type="checkbox"
                    value={event_type}
                    {...register('event_types')}
                    className="mt-0.5 size-4 shrink-0 accent-(--accent)"
                  />
                  <span className="min-w-0">
                    <code className="font-mono text-xs break-words">{event_type}</code>
                    <span className="block text-xs text-muted">{description}</span>
                  </span>
                </label>
              </li>
            ))}
          </ul>
        ))}
      {errors.event_types !== undefined && (
        <p role="alert" className="text-xs font-medium text-bad">
          {errors.event_types.message}
        </p>
      )}
    </fieldset>
  );
}
