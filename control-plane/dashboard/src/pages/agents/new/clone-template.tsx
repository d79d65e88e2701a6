import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { dataOf } from '../../../api/client.js';
import { useApi } from '../../../api/mode.js';
import { label } from '../../../format/words.js';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { ErrorState } from '../../../ui/error-state.js';
import { Field, Input } from '../../../ui/field.js';
import type { Template } from './query.js';

interface CloneTemplateProps {
  readonly template: Template;
  readonly onClose: () => void;
  readonly onCreated: (agentId: string) => void;
}

/** Asks for what a template leaves open, and makes an agent of it. */
export function CloneTemplate({ template, onClose, onCreated }: CloneTemplateProps): ReactNode {
  const { api } = useApi();
  const variables = template.variables.filter(({ given }) => given === 'clone');
  const { register, handleSubmit, formState } = useForm<Record<string, string>>();
  const clone = useMutation({
    mutationFn: (values: Record<string, string>) =>
      dataOf(
        api.POST('/api/v1/agent-templates/{slug}/clone', {
          params: { path: { slug: template.slug } },
          body: { variables: values },
        }),
      ),
    onSuccess: ({ id }) => onCreated(id),
  });
  return (
    <Dialog open onOpenChange={onClose} title={template.name} description={template.description}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => void handleSubmit((values) => clone.mutate(values))(event)}
      >
        {variables.map(({ name, description, example }) => (
          <Field key={name} label={label(name)} hint={description} error={formState.errors[name]?.message}>
            {(ids) => (
              <Input
                {...ids}
                {...register(name, { required: `Fill it in, as “${example}”.` })}
                placeholder={example}
                autoComplete="off"
              />
            )}
          </Field>
        ))}
        {clone.isError && <ErrorState title="The agent could not be created" error={clone.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={clone.isPending}>
            Create the agent
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
