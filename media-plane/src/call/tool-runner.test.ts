import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describedTools } from '@voice/shared/agent-tools/described-tools';
import { createHttpTool, type HttpTool } from '@voice/shared/agent-tools/http-tool';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { AgentTool } from '@voice/shared/contracts/agent';
import { agentTool } from '@voice/shared/contracts/agent';
import { type CallEventBody, callEvent } from '@voice/shared/contracts/call-events';
import {
  LONGEST_BRIEFING,
  OUTCOME_LIMIT_MS,
  RING_SECONDS,
  TRANSFER_LIMIT_MS,
} from '@voice/shared/contracts/transfer-times';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testCallPlan } from '../testing/call-plan.js';
import { classifyToolCall } from './classify-tool-call.js';
import { ToolRunner, type ToolRunnerOptions } from './tool-runner.js';

const TOOLS: AgentTool[] = [
  agentTool.parse({ type: 'end_call' }),
  agentTool.parse({ type: 'transfer_call' }),
  agentTool.parse({ type: 'send_dtmf' }),
  agentTool.parse({
    type: 'http',
    name: 'look_up',
    url: 'https://shop.example/orders',
    timeout_ms: 1000,
    side_effects: false,
  }),
  agentTool.parse({
    type: 'integration',
    name: 'tell_sales',
    integration: 'slack',
    action: 'post_message',
    description: 'Posts a message.',
    parameters: { type: 'object', properties: { text: { type: 'string' } } },
  }),
  agentTool.parse({
    type: 'integration',
    name: 'find_times',
    integration: 'cal-com',
    action: 'list_slots',
    side_effects: false,
  }),
  agentTool.parse({ type: 'transfer_call', name: 'hand_over', transfer_type: 'warm' }),
];

describe('the tools of a call', () => {
  let clock: ScriptedClock;
  let emitted: CallEventBody[];
  let finished: [string, boolean, string][];
  let httpTool: HttpTool;
  let pressed: string[];
  const plan = testCallPlan(
    {},
    { tools: TOOLS, transfer_destinations: [{ name: 'sales', phone_number: '+15005550001' }] },
  );

  beforeEach(() => {
    clock = new ScriptedClock();
    emitted = [];
    finished = [];
    httpTool = async () => 'shipped';
    pressed = [];
  });

  const start = (speaking: Pick<ToolRunnerOptions, 'plan'> = { plan }) =>
    new ToolRunner({
      get plan() {
        return speaking.plan;
      },
      clock,
      now: () => clock.monotonic(),
      emit: (body) => emitted.push(body),
      httpTool: (tool, args, signal) => httpTool(tool, args, signal),
      integrationTool: async (tool, args, name) => {
        if (args.text === 'slow') return new Promise(() => {});
        return JSON.stringify([
          tool.integration,
          tool.action,
          args,
          name.callId === plan.call_id,
          name.toolCallId,
        ]);
      },
      pressKeys: async (digits) => {
        pressed.push(digits);
      },
      mcp: { tools: [], call: () => Promise.reject(new Error('there are none')) },
      handOver: () => Promise.reject(new Error('no agents here')),
      onSensitive: () => {},
      onFinished: (id, ok, result) => finished.push([id, ok, result]),
    });
  const call = (name: string, args = '{}') =>
    classifyToolCall({ id: 't1', name, arguments: args }, plan.agent, []);
  const executions = () =>
    emitted.flatMap((body) => (body.kind === 'tool_execution' ? [body.execution] : []));
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  it('are described to the model with their parameters', () => {
    const [endCall, transfer] = describedTools(plan.agent, []);
    expect(endCall).toMatchObject({ name: 'end_call', description: expect.stringMatching(/goodbye/i) });
    expect(transfer?.parameters).toMatchObject({ properties: { destination: { enum: ['sales'] } } });
  });

  it('answer with the result and leave a record', async () => {
    start().run(call('look_up', '{"order":5}'));
    await settle();
    expect(finished).toEqual([['t1', true, 'shipped']]);
    expect(executions()).toEqual([
      expect.objectContaining({
        name: 'look_up',
        arguments: { order: 5 },
        status: 'succeeded',
        result: 'shipped',
      }),
    ]);
  });

  it('of integrations have the parameters of the plan, and are run by the control plane', async () => {
    expect(describedTools(plan.agent, [])[4]).toEqual({
      name: 'tell_sales',
      description: 'Posts a message.',
      parameters: { type: 'object', properties: { text: { type: 'string' } } },
    });
    expect([call('tell_sales').sideEffects, call('find_times').sideEffects]).toEqual([true, false]);
    start().run(call('tell_sales', '{"text":"hi"}'));
    await settle();
    expect(finished).toEqual([
      ['t1', true, JSON.stringify(['slack', 'post_message', { text: 'hi' }, true, 't1'])],
    ]);
  });

  it('are not run with arguments that do not fit their schema; the model learns what is wrong, once', async () => {
    const tools = start();
    for (const args of ['{"text":5}', '{"text":5}', '{"text":"hi"}']) {
      tools.run(call('tell_sales', args));
      await settle();
    }
    expect(finished).toEqual([
      ['t1', false, expect.stringMatching(/^The arguments do not fit: text .+ Call it again/)],
      ['t1', false, expect.stringContaining('Do not call tell_sales again now')],
      ['t1', true, expect.stringContaining('post_message')],
    ]);
    expect(executions().map(({ status }) => status)).toEqual(['failed', 'failed', 'succeeded']);
  });

  it('are checked by the schema of the agent that speaks, not by that of one before with the same name', async () => {
    const agentWith = (required: string) =>
      testCallPlan(
        {},
        {
          tools: [
            agentTool.parse({
              type: 'http',
              name: 'look_up',
              url: 'https://shop.example/orders',
              parameters: {
                type: 'object',
                properties: { [required]: { type: 'string' } },
                required: [required],
              },
            }),
          ],
        },
      );
    const [desk, billing] = [agentWith('phone'), agentWith('invoice_id')];
    let speaks = desk;
    const tools = start({
      get plan() {
        return speaks;
      },
    });
    const lookUp = async (args: string) => {
      tools.run(classifyToolCall({ id: 't1', name: 'look_up', arguments: args }, speaks.agent, []));
      await settle();
      return finished.at(-1);
    };
    expect(await lookUp('{}')).toEqual(['t1', false, expect.stringMatching(/phone .+ Call it again/)]);
    speaks = billing;
    expect(await lookUp('{}')).toEqual(['t1', false, expect.stringMatching(/invoice_id .+ Call it again/)]);
    expect(await lookUp('{"invoice_id":"7"}')).toEqual(['t1', true, 'shipped']);
  });

  it('that are given up abort what they do, leave a record and report nothing', async () => {
    let aborted = false;
    httpTool = (_tool, _args, signal) => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      return new Promise(() => {});
    };
    const tools = start();
    tools.run(call('look_up'));
    tools.cancel('t1');
    tools.cancel('t1');
    clock.advance(60_000);
    await settle();
    expect(aborted).toBe(true);
    expect(finished).toEqual([]);
    expect(executions()).toMatchObject([
      { name: 'look_up', status: 'cancelled', result: 'The caller spoke, so this was given up.' },
    ]);
  });

  it('are given up for the caller where their definition says so', () => {
    const given = (tool: object) =>
      classifyToolCall(
        { id: 't', name: 'f', arguments: '' },
        { ...plan.agent, tools: [agentTool.parse(tool)] },
        [],
      );
    const http = { type: 'http', name: 'f', url: 'https://shop.example' };
    expect(given(http).endsWithCallerSpeech).toBeUndefined();
    expect(given({ ...http, when_caller_speaks: 'continue' }).endsWithCallerSpeech).toBeUndefined();
    expect(given({ ...http, when_caller_speaks: 'cancel' }).endsWithCallerSpeech).toBe(true);
    expect(given({ type: 'end_call', name: 'f' }).endsWithCallerSpeech).toBeUndefined();
  });

  it('of integrations time out', () => {
    start().run(call('tell_sales', '{"text":"slow"}'));
    clock.advance(20_000);
    expect(executions()).toMatchObject([{ name: 'tell_sales', status: 'timed_out' }]);
  });

  it('give the model the error: no such tool, broken arguments, a failure', async () => {
    httpTool = () => Promise.reject(new Error('The tool answered with status 500: no'));
    const tools = start();
    tools.run(call('fly'));
    tools.run(call('look_up', 'order 5'));
    tools.run(call('look_up', JSON.stringify({ order: '5'.repeat(64 * 1024) })));
    tools.run(call('look_up'));
    await settle();
    expect(finished.map(([, ok, result]) => [ok, result])).toEqual([
      [false, 'There is no tool named fly.'],
      [false, expect.stringMatching(/not a JSON object/)],
      [false, expect.stringMatching(/too long/)],
      [false, 'The tool answered with status 500: no'],
    ]);
    expect(executions().map(({ arguments: args }) => args)).toEqual([{}, {}, {}, {}]);
  });

  it('end in time, and a late answer changes nothing', async () => {
    let answer: (text: string) => void = () => {};
    let aborted = false;
    httpTool = (_, __, signal) => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    start().run(call('look_up'));
    clock.advance(1000);
    answer('late');
    await settle();
    expect(finished).toEqual([['t1', false, 'The tool did not answer in time.']]);
    expect(executions().map(({ status }) => status)).toEqual(['timed_out']);
    expect(aborted).toBe(true);
  });

  it('ask the control plane for a transfer and wait for its word', () => {
    const tools = start();
    tools.run(call('transfer_call', '{"destination":"sales"}'));
    expect(emitted).toEqual([
      {
        kind: 'transfer_requested',
        tool_call_id: 't1',
        destination: '+15005550001',
        transfer_type: 'cold',
        give_up_at: clock.now() + TRANSFER_LIMIT_MS,
      },
    ]);
    tools.transferResult('t1', true, 'Transferred.');
    expect(finished).toEqual([['t1', true, 'Transferred.']]);
  });

  it('send the briefing of a warm transfer along, as long as one may be', () => {
    const tools = start();
    const briefing = `Ada, about her order. ${'More. '.repeat(200)}`;
    tools.run(call('hand_over', JSON.stringify({ destination: 'sales', briefing })));
    expect(emitted).toMatchObject([{ transfer_type: 'warm', briefing: briefing.slice(0, LONGEST_BRIEFING) }]);
    expect(callEvent.safeParse({ ...emitted[0], call_id: plan.call_id, seq: 1, at: 0 }).success).toBe(true);
  });

  it('wait for a transfer as long as the control plane may still bring the caller over', () => {
    const tools = start();
    tools.run(call('hand_over', '{"destination":"sales","briefing":"Ada."}'));
    // The phone rings to its end, and the human hears the longest briefing.
    clock.advance(RING_SECONDS * 1000 + 40_000);
    expect(finished).toEqual([]);
    const [wish] = emitted;
    const giveUpAt = wish?.kind === 'transfer_requested' ? wish.give_up_at! : 0;
    clock.advance(giveUpAt - clock.now() + OUTCOME_LIMIT_MS - 1);
    expect(finished).toEqual([]);
    clock.advance(1);
    expect(finished).toEqual([
      ['t1', false, 'The transfer could not be made. The caller is still with you.'],
    ]);
    tools.transferResult('t1', true, 'Transferred.');
    expect(finished).toHaveLength(1);
  });

  it('press keys, and only those that there are', async () => {
    const tools = start();
    tools.run(call('send_dtmf', '{"digits":"12#"}'));
    await settle();
    tools.run(call('send_dtmf', '{"digits":"one"}'));
    expect(pressed).toEqual(['12#']);
    expect(finished).toEqual([
      ['t1', true, 'Pressed 12#.'],
      ['t1', false, 'digits must be 1 to 32 keys of 0-9, *, # and A-D.'],
    ]);
  });

  it('transfer to configured destinations only', () => {
    start().run(call('transfer_call', '{"destination":"+4912345"}'));
    expect(finished).toEqual([['t1', false, 'There is no such destination. Destinations: sales.']]);
  });

  it('are cancelled by the end of the call, and recorded as such', () => {
    httpTool = () => new Promise(() => {});
    const tools = start();
    tools.run(call('look_up'));
    tools.close();
    expect(executions().map(({ status }) => status)).toEqual(['cancelled']);
    expect(finished).toEqual([]);
  });
});

describe("a tenant's HTTP tool", () => {
  let server: Server;
  let base: string;
  let seen: { method?: string; url?: string; body: string; signature?: string; authorization?: string };
  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        seen = {
          method: request.method,
          url: request.url,
          body,
          signature: request.headers['x-service-signature'] as string,
          authorization: request.headers.authorization,
        };
        response.writeHead(request.url === '/fails' ? 503 : 200).end('{"status":"shipped"}');
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
  });

  const clock = new ScriptedClock();
  const run = (changes: object, allow = ['127.0.0.0/8']) => {
    const tool = agentTool.parse({ type: 'http', name: 'look_up', url: `${base}/orders`, ...changes });
    const httpTool = createHttpTool({ policy: createAddressPolicy(allow), clock });
    return httpTool(
      tool as Extract<AgentTool, { type: 'http' }>,
      { order: 5, note: 'a b' },
      new AbortController().signal,
    );
  };

  it('gets its arguments as JSON, signed over the very bytes', async () => {
    expect(await run({ secret: 'tool secret' })).toBe('{"status":"shipped"}');
    expect(seen).toMatchObject({ method: 'POST', url: '/orders', body: '{"order":5,"note":"a b"}' });
    const t = clock.now() / 1000;
    const v1 = createHmac('sha256', 'tool secret').update(`${t}.${seen.body}`).digest('hex');
    expect(seen.signature).toBe(`t=${t},v1=${v1}`);
  });

  it('gets them in the query of a GET', async () => {
    await run({ method: 'GET' });
    expect(seen).toMatchObject({ method: 'GET', url: '/orders?order=5&note=a+b', body: '' });
  });

  it('gets its secret headers', async () => {
    await run({ secret_headers: { Authorization: 'Bearer hush' } });
    expect(seen.authorization).toBe('Bearer hush');
  });

  it('fails with the status that it answered', async () => {
    await expect(run({ url: `${base}/fails` })).rejects.toThrow(/status 503/);
  });

  it('does not reach into private networks', async () => {
    await expect(run({}, [])).rejects.toMatchObject({ code: 'egress_address_refused' });
  });
});
