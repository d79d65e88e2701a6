import type { ReactNode } from 'react';
import { useFormContext } from 'react-hook-form';
import { Field, Input } from '../../../../ui/field.js';
import type { AgentForm } from '../form.js';
import { problemOf } from './problem.js';
import { AllowedToolsField, HeaderFields } from './text-values.js';
import { OutsideOptions, TimeoutField } from './tool-options.js';

/** A server that offers tools: where it is, what it is sent, which of its tools the agent gets. */
export function McpTool({ at }: { readonly at: number }): ReactNode {
  const { register, formState } = useFormContext<AgentForm>();
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_8rem]">
        <Field
          label="Address of the server"
          hint="Its Streamable HTTP endpoint. It is asked while the phone rings."
          error={problemOf(formState.errors, `tools.${at}.server_url`)}
        >
          {(ids) => (
            <Input
              {...ids}
              {...register(`tools.${at}.server_url`)}
              type="url"
              placeholder="https://mcp.example.com/mcp"
            />
          )}
        </Field>
        <div className="self-end">
          <TimeoutField at={at} />
        </div>
      </div>
      <HeaderFields at={at} />
      <AllowedToolsField at={at} />
      <OutsideOptions at={at} />
    </>
  );
}
