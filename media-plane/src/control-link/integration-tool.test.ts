import { agentTool } from '@voice/shared/contracts/agent';
import { ServiceError } from '@voice/shared/errors/service-error';
import { describe, expect, it } from 'vitest';
import type { ControlPlaneRequest } from './control-plane-client.js';
import { createIntegrationTool } from './integration-tool.js';

const tool = agentTool.parse({
  type: 'integration',
  name: 'notify',
  integration: 'slack',
  action: 'post_message',
});

function asked(answers: (() => unknown)[]) {
  const requests: ControlPlaneRequest[] = [];
  const run = createIntegrationTool({
    async send(request) {
      requests.push(request);
      return answers.shift()!();
    },
  });
  if (tool.type !== 'integration') throw new Error('not an integration');
  const result = run(tool, { text: 'hi' }, { callId: 'c', toolCallId: 't1' }, new AbortController().signal);
  return { requests, result };
}

const failing = (retryable: boolean) => () => {
  throw new ServiceError({ code: 'x', status: retryable ? 503 : 404, message: 'no', retryable });
};

describe('a tool of the type integration', () => {
  it('is run by the control plane, named by its call and tool call', async () => {
    const { requests, result } = asked([() => ({ ok: true, result: '{"message_id":"1"}' })]);
    expect(await result).toBe('{"message_id":"1"}');
    expect(requests.map(({ method, path, body }) => [method, path, JSON.parse(String(body))])).toEqual([
      [
        'POST',
        '/internal/tools/integration',
        {
          call_id: 'c',
          tool_call_id: 't1',
          integration: 'slack',
          action: 'post_message',
          arguments: { text: 'hi' },
        },
      ],
    ]);
  });

  it('that takes too long is no reason to leave the control plane’s replica', async () => {
    const { requests, result } = asked([() => ({ ok: true, result: 'done' })]);
    await result;
    expect(requests[0]).toMatchObject({ keepsReplica: true });
  });

  it('that failed says why', async () => {
    const { result } = asked([() => ({ ok: false, result: 'The integration is not connected.' })]);
    await expect(result).rejects.toThrow('The integration is not connected.');
  });

  it('is asked for again, by the same name, when the control plane was away; not when it refused', async () => {
    const again = asked([failing(true), () => ({ ok: true, result: 'done' })]);
    expect(await again.result).toBe('done');
    expect(again.requests[1]).toEqual(again.requests[0]);
    const gone = asked([failing(true), failing(true)]);
    await expect(gone.result).rejects.toThrow('could not be used');
    const refused = asked([failing(false)]);
    await expect(refused.result).rejects.toThrow('could not be used');
    expect(refused.requests).toHaveLength(1);
  });
});
