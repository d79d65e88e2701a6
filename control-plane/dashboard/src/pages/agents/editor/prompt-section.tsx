import { lazy, type ReactNode, Suspense } from 'react';
import { Controller, useFormContext } from 'react-hook-form';
import { Field, Input, TextArea } from '../../../ui/field.js';
import { Skeleton } from '../../../ui/skeleton.js';
import type { AgentForm } from './form.js';
import { promptProblems, variablesOf } from './prompt-lint.js';

const PromptEditor = lazy(() => import('./prompt-editor.js'));

/** Who the agent is, what it says first, how it behaves. */
export function PromptSection(): ReactNode {
  const { register, control, watch, formState } = useFormContext<AgentForm>();
  const { errors } = formState;
  const [prompt, first] = watch(['system_prompt', 'first_message']);
  const variables = variablesOf(prompt, first);
  const problems = promptProblems(prompt);
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Field label="Name" error={errors.name?.message}>
          {(ids) => <Input {...ids} {...register('name')} autoComplete="off" />}
        </Field>
        <Field label="Language" error={errors.language?.message}>
          {(ids) => <Input {...ids} {...register('language')} placeholder="en-US" autoComplete="off" />}
        </Field>
      </div>
      <Field
        label="First message"
        hint="Said when the call is answered. Empty: the agent waits for the caller."
        error={errors.first_message?.message}
      >
        {(ids) => <TextArea {...ids} {...register('first_message')} rows={2} />}
      </Field>
      <div className="flex flex-col gap-1">
        <p className="font-medium">Prompt</p>
        <p className="text-xs text-muted">
          Who the agent is, what it knows, the steps of the call.{' '}
          <code className="font-mono">{'{{name}}'}</code> is replaced by the call's variable of that name.
          Keep answers short: this is a phone call.
        </p>
        <Controller
          control={control}
          name="system_prompt"
          render={({ field }) => (
            <Suspense fallback={<Skeleton className="h-80" />}>
              <PromptEditor
                value={field.value}
                label="Prompt"
                problemsOf={promptProblems}
                onChange={field.onChange}
              />
            </Suspense>
          )}
        />
        <p className="flex flex-wrap gap-x-4 text-xs text-muted" role="status">
          <span>{prompt.length.toLocaleString('en-US')} characters</span>
          {variables.length > 0 && <span>Variables: {variables.join(', ')}</span>}
          {problems.length > 0 && <span className="font-medium text-warn">{problems[0]?.message}</span>}
        </p>
        {errors.system_prompt && (
          <p role="alert" className="text-xs font-medium text-bad">
            {errors.system_prompt.message}
          </p>
        )}
      </div>
      <label className="flex items-center gap-2">
        <input type="checkbox" className="size-4 accent-accent" {...register('is_active')} />
        On: it may take and place calls
      </label>
    </div>
  );
}
