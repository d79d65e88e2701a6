import { Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Controller, useFieldArray, useFormContext } from 'react-hook-form';
import { Badge } from '../../../ui/badge.js';
import { Button } from '../../../ui/button.js';
import { Field, Input, Select, TextArea } from '../../../ui/field.js';
import type { AgentForm } from './form.js';
import { NEW_TOOLS, type NewTool, parseParameters } from './tools.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** What the agent can do beside speaking. */
export function ToolsSection(): ReactNode {
  const { control } = useFormContext<AgentForm>();
  const tools = useFieldArray({ control, name: 'tools', keyName: 'key' });
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">
        What the agent can do beside speaking. The model chooses a tool by its name and description, so say
        when to use it.
      </p>
      <ul className="flex flex-col gap-3">
        {tools.fields.map((tool, at) => (
          <li key={tool.key} className="flex flex-col gap-3 rounded-md border border-line p-3">
            <div className="flex items-center justify-between gap-2">
              <Badge tone="accent">{tool.type}</Badge>
              <Button
                size="small"
                aria-label={`Remove ${tool.name || 'the tool'}`}
                onClick={() => tools.remove(at)}
              >
                <Trash2 aria-hidden className="size-3.5" /> Remove
              </Button>
            </div>
            <Tool at={at} type={tool.type} />
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        {(Object.keys(NEW_TOOLS) as NewTool[]).map((type) => (
          <Button key={type} onClick={() => tools.append({ ...NEW_TOOLS[type] })}>
            <Plus aria-hidden className="size-4" /> {type}
          </Button>
        ))}
      </div>
    </div>
  );
}

function Tool({ at, type }: { readonly at: number; readonly type: string }): ReactNode {
  const { register, formState } = useFormContext<AgentForm>();
  const errors = formState.errors.tools?.[at];
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
        <Field label="Tool name" error={errors?.name?.message}>
          {(ids) => (
            <Input {...ids} {...register(`tools.${at}.name`)} className="font-mono" autoComplete="off" />
          )}
        </Field>
        <Field label="When to use it" error={errors?.description?.message}>
          {(ids) => <Input {...ids} {...register(`tools.${at}.description`)} />}
        </Field>
      </div>
      {type === 'http' && <HttpTool at={at} />}
    </>
  );
}

function HttpTool({ at }: { readonly at: number }): ReactNode {
  const { register, control } = useFormContext<AgentForm>();
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
        <Field label="Address">
          {(ids) => <Input {...ids} {...register(`tools.${at}.url`)} type="url" placeholder="https://…" />}
        </Field>
        <Field label="Time-out, ms">
          {(ids) => (
            <Input {...ids} {...register(`tools.${at}.timeout_ms`, { valueAsNumber: true })} type="number" />
          )}
        </Field>
      </div>
      <Controller
        control={control}
        name={`tools.${at}.parameters`}
        render={({ field }) => <Parameters value={field.value} onChange={field.onChange} />}
      />
    </>
  );
}

/** A JSON Schema as text; what is not whole yet stays text and is not taken over. */
function Parameters({
  value,
  onChange,
}: {
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}): ReactNode {
  const [text, setText] = useState(() => JSON.stringify(value ?? {}, null, 2));
  const parsed = parseParameters(text);
  return (
    <Field
      label="Arguments, as JSON Schema"
      hint="What the model fills in."
      error={parsed.ok ? undefined : parsed.problem}
    >
      {(ids) => (
        <TextArea
          {...ids}
          value={text}
          spellCheck={false}
          rows={6}
          className="font-mono text-xs"
          onChange={({ target }) => {
            setText(target.value);
            const next = parseParameters(target.value);
            if (next.ok) onChange(next.value);
          }}
        />
      )}
    </Field>
  );
}
