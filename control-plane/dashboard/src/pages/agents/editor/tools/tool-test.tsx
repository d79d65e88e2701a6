import { useMutation } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useFormContext } from 'react-hook-form';
import { dataOf } from '../../../../api/client.js';
import { useApi } from '../../../../api/mode.js';
import type { components } from '../../../../api/openapi.js';
import { latency } from '../../../../format/time.js';
import { Badge } from '../../../../ui/badge.js';
import { Button } from '../../../../ui/button.js';
import { CodeBlock } from '../../../../ui/code-block.js';
import { ErrorState } from '../../../../ui/error-state.js';
import { Field, TextArea } from '../../../../ui/field.js';
import type { AgentForm } from '../form.js';
import { exampleArguments, parseObject } from './tools.js';
import { UNREAD } from './unread-texts.js';
import { useToolValue } from './use-tool-value.js';

type ToolTestRequest = components['schemas']['ToolTestRequest'];
type ToolTestResponse = components['schemas']['ToolTestResponse'];

interface ToolTestProps {
  readonly at: number;
  readonly agentId: string;
}

/** Sends one request of a tool as it stands in the form, saved or not, and shows what came back. */
export function ToolTest({ at, agentId }: ToolTestProps): ReactNode {
  const { api } = useApi();
  const { getValues } = useFormContext<AgentForm>();
  const [text, setText] = useState(() =>
    JSON.stringify(exampleArguments(getValues(`tools.${at}.parameters`)), null, 2),
  );
  const parsed = parseObject(text, '{"day": "Friday"}');
  const [unread] = useToolValue(at, UNREAD);
  const test = useMutation({
    mutationFn: (args: Record<string, unknown>) =>
      dataOf(
        api.POST('/api/v1/agents/{agent_id}/test/tool', {
          params: { path: { agent_id: agentId } },
          // What the form does not know of a tool is as the service gave it.
          body: { tool: getValues(`tools.${at}`), arguments: args } as unknown as ToolTestRequest,
        }),
      ),
  });
  return (
    <div className="mt-2 flex flex-col gap-3 rounded-md bg-sunken p-3">
      <Field
        label="Arguments of the test"
        hint="As the model would give them. The server really gets the request."
        error={parsed.ok ? undefined : parsed.problem}
      >
        {(ids) => (
          <TextArea
            {...ids}
            value={text}
            rows={4}
            spellCheck={false}
            className="font-mono text-xs"
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <Button
        className="self-start"
        busy={test.isPending}
        disabled={!parsed.ok || unread !== undefined}
        onClick={() => parsed.ok && test.mutate(parsed.value)}
      >
        <Send aria-hidden className="size-4" /> Send the request
      </Button>
      <div aria-live="polite" className="flex flex-col gap-2">
        {test.isError && <ErrorState title="The request was not sent" error={test.error} />}
        {test.data !== undefined && <Answer answer={test.data} />}
      </div>
    </div>
  );
}

function Answer({ answer }: { readonly answer: ToolTestResponse }): ReactNode {
  const { status, duration_ms, error, body, body_bytes, truncated } = answer;
  if (status === null) {
    return (
      <p className="text-bad">
        No answer after {latency(duration_ms)}: {error?.message} On a call the model would read this instead.
      </p>
    );
  }
  const good = status >= 200 && status < 300;
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={good ? 'good' : 'bad'}>{status}</Badge>
        <span>
          after {latency(duration_ms)}, {body_bytes.toLocaleString('en-US')} bytes
          {truncated && ', of which the model reads the first 16 KiB'}
        </span>
      </p>
      {!good && <p className="text-muted">On a call this is a failure of the tool: only 2xx is a success.</p>}
      {body === '' ? (
        <p className="text-muted">The body is empty. The model reads “Done.”</p>
      ) : (
        <CodeBlock code={body} label="Answer of the server" />
      )}
    </>
  );
}
