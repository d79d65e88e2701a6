import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useFormContext } from 'react-hook-form';
import { label } from '../../../../format/words.js';
import { ErrorState } from '../../../../ui/error-state.js';
import { Field, Select } from '../../../../ui/field.js';
import { Skeleton } from '../../../../ui/skeleton.js';
import { ConnectOffer } from '../../../settings/integrations/connect.js';
import { integrationsQuery } from '../../../settings/integrations/query.js';
import type { AgentForm } from '../form.js';
import { problemOf } from './problem.js';
import { OutsideOptions } from './tool-options.js';

/** An action in an account that the tenant has connected. */
export function IntegrationTool({ at }: { readonly at: number }): ReactNode {
  const { register, formState, watch, setValue, getValues } = useFormContext<AgentForm>();
  const integrations = useQuery(integrationsQuery);
  if (integrations.isLoadingError) {
    return (
      <ErrorState
        title="The integrations could not be loaded"
        error={integrations.error}
        onRetry={() => void integrations.refetch()}
      />
    );
  }
  if (integrations.data === undefined) return <Skeleton className="h-9" />;
  const able = integrations.data.filter(({ actions }) => actions.length > 0);
  const chosen = able.find(({ slug }) => slug === watch(`tools.${at}.integration`));
  const action = chosen?.actions.find(({ name }) => name === watch(`tools.${at}.action`));
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Integration" error={problemOf(formState.errors, `tools.${at}.integration`)}>
          {(ids) => (
            <Select
              {...ids}
              {...register(`tools.${at}.integration`, {
                onChange: () => setValue(`tools.${at}.action`, '', { shouldDirty: true }),
              })}
            >
              <option value="">Choose …</option>
              {able.map(({ slug, name, connected }) => (
                <option key={slug} value={slug}>
                  {connected ? name : `${name} (not connected)`}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field
          label="What it does"
          hint={action?.description}
          error={problemOf(formState.errors, `tools.${at}.action`)}
        >
          {(ids) => (
            <Select
              {...ids}
              {...register(`tools.${at}.action`, {
                onChange: ({ target }) => {
                  const picked = chosen?.actions.find(({ name }) => name === target.value);
                  // A tool that is not described yet gets the words of its action to begin with.
                  if (picked && getValues(`tools.${at}.description`) === '') {
                    setValue(`tools.${at}.description`, picked.description, { shouldDirty: true });
                  }
                  if (picked && getValues(`tools.${at}.name`) === '') {
                    setValue(`tools.${at}.name`, picked.name, { shouldDirty: true });
                  }
                },
              })}
            >
              <option value="">Choose …</option>
              {chosen?.actions.map(({ name }) => (
                <option key={name} value={name}>
                  {label(name)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      {chosen !== undefined && chosen.status !== 'connected' && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-warn-soft px-3 py-2">
          <p className="min-w-0 flex-1">
            {chosen.status === 'reconnect_needed'
              ? `${chosen.name} no longer lets this account in: the tool fails until it is connected again.`
              : `${chosen.name} is not connected: the tool fails until it is.`}{' '}
            What you have entered here stays.
          </p>
          <ConnectOffer integration={chosen} inNewTab />
        </div>
      )}
      <OutsideOptions at={at} />
    </>
  );
}
