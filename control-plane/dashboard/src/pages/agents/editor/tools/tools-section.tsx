import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFieldArray, useFormContext } from 'react-hook-form';
import { Badge } from '../../../../ui/badge.js';
import { Button } from '../../../../ui/button.js';
import { Field, Input } from '../../../../ui/field.js';
import type { AgentForm } from '../form.js';
import { HandoffTool } from './handoff-tool.js';
import { HttpTool } from './http-tool.js';
import { IntegrationTool } from './integration-tool.js';
import { McpTool } from './mcp-tool.js';
import { labelOf, NEW_TOOLS, type NewTool, TOOL_KINDS } from './tools.js';
import { TransferDestinations, TransferTool } from './transfers.js';

/** What the agent can do beside speaking. */
export function ToolsSection({ agentId }: { readonly agentId: string }): ReactNode {
  const { control, watch } = useFormContext<AgentForm>();
  const tools = useFieldArray({ control, name: 'tools', keyName: 'key' });
  // What is there is shown also when the tool is gone.
  const transfers =
    tools.fields.some(({ type }) => type === 'transfer_call') || watch('transfer_destinations').length > 0;
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
              <Badge tone="accent">{labelOf(tool.type)}</Badge>
              <Button
                size="small"
                aria-label={`Remove ${tool.name || 'the tool'}`}
                onClick={() => tools.remove(at)}
              >
                <Trash2 aria-hidden className="size-3.5" /> Remove
              </Button>
            </div>
            <Tool at={at} type={tool.type} agentId={agentId} />
          </li>
        ))}
      </ul>
      {transfers && <TransferDestinations />}
      <fieldset>
        <legend className="mb-2 font-semibold">Add a tool</legend>
        <ul className="grid gap-2 sm:grid-cols-2">
          {(Object.keys(NEW_TOOLS) as NewTool[]).map((type) => (
            <li key={type}>
              <button
                type="button"
                onClick={() => tools.append(structuredClone(NEW_TOOLS[type]))}
                className="flex h-full w-full items-start gap-2 rounded-md border border-line bg-surface px-3 py-2 text-left hover:bg-sunken"
              >
                <Plus aria-hidden className="mt-0.5 size-4 shrink-0" />
                <span>
                  <span className="block font-medium">{TOOL_KINDS[type].label}</span>
                  <span className="block text-xs text-muted">{TOOL_KINDS[type].purpose}</span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      </fieldset>
    </div>
  );
}

interface ToolProps {
  readonly at: number;
  readonly type: string;
  readonly agentId: string;
}

function Tool({ at, type, agentId }: ToolProps): ReactNode {
  const { register, formState } = useFormContext<AgentForm>();
  const errors = formState.errors.tools?.[at];
  const isServer = type === 'mcp';
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
        <Field label={isServer ? 'Begins the names of its tools' : 'Tool name'} error={errors?.name?.message}>
          {(ids) => (
            <Input {...ids} {...register(`tools.${at}.name`)} className="font-mono" autoComplete="off" />
          )}
        </Field>
        <Field
          label={isServer ? 'Of tools that the server does not describe' : 'When to use it'}
          error={errors?.description?.message}
        >
          {(ids) => <Input {...ids} {...register(`tools.${at}.description`)} />}
        </Field>
      </div>
      {type === 'http' && <HttpTool at={at} agentId={agentId} />}
      {type === 'mcp' && <McpTool at={at} />}
      {type === 'integration' && <IntegrationTool at={at} />}
      {type === 'transfer_call' && <TransferTool at={at} />}
      {type === 'transfer_to_agent' && <HandoffTool at={at} agentId={agentId} />}
    </>
  );
}
