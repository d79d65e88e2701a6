import { type ReactNode, useState } from 'react';
import { useFormContext } from 'react-hook-form';
import { Field, Input, Select } from '../../../../ui/field.js';
import type { AgentForm } from '../form.js';
import { problemOf } from './problem.js';
import { HeaderFields, ParametersField } from './text-values.js';
import { OutsideOptions, SigningKeyField, TimeoutField } from './tool-options.js';
import { ToolTest } from './tool-test.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

interface HttpToolProps {
  readonly at: number;
  readonly agentId: string;
}

/** A request to a server, and beside it what the server answers. */
export function HttpTool({ at, agentId }: HttpToolProps): ReactNode {
  const { register, formState } = useFormContext<AgentForm>();
  const [tries, setTries] = useState(false);
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-[7rem_minmax(0,1fr)_8rem]">
        <Field label="Method">
          {(ids) => (
            <Select {...ids} {...register(`tools.${at}.method`)}>
              {METHODS.map((method) => (
                <option key={method}>{method}</option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Address" error={problemOf(formState.errors, `tools.${at}.url`)}>
          {(ids) => <Input {...ids} {...register(`tools.${at}.url`)} type="url" placeholder="https://…" />}
        </Field>
        <TimeoutField at={at} />
      </div>
      <ParametersField at={at} />
      <HeaderFields at={at} />
      <SigningKeyField at={at} />
      <OutsideOptions at={at} />
      <details open={tries} onToggle={({ currentTarget }) => setTries(currentTarget.open)}>
        <summary className="cursor-pointer font-medium text-accent">Try it</summary>
        {tries && <ToolTest at={at} agentId={agentId} />}
      </details>
    </>
  );
}
