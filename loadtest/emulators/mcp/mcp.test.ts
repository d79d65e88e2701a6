import {
  type AgentMcpTools,
  createMcpTools,
  LISTING_BUDGET_MS,
  type McpNotice,
} from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import { MAX_ANSWER_BYTES } from '@voice/shared/agent-tools/mcp/bounded-fetch';
import { LISTING_LIFE_MS } from '@voice/shared/agent-tools/mcp/listing-cache';
import { systemClock } from '@voice/shared/clock/clock';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { agentTool } from '@voice/shared/contracts/agent';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type McpEmulator, type McpEmulatorOptions, startMcpEmulator } from './server.js';

let server: McpEmulator;
let opened: AgentMcpTools[];
let notices: McpNotice[];

const REVISIONS: readonly McpEmulatorOptions[] = [
  { revision: '2025-11-25', answersAs: 'json' },
  { revision: '2025-11-25', answersAs: 'sse' },
  { revision: '2026-07-28', answersAs: 'json' },
  { revision: '2026-07-28', answersAs: 'sse' },
];

beforeEach(() => {
  opened = [];
  notices = [];
});
afterEach(async () => {
  for (const tools of opened) tools.close();
  await server.close();
});

const shop = (changes: object = {}) =>
  agentTool.parse({
    type: 'mcp',
    name: 'shop',
    server_url: server.serverUrl,
    secret_headers: { Authorization: `Bearer ${server.token}` },
    ...changes,
  });

async function open(servers = [shop()], allow = ['127.0.0.0/8']): Promise<AgentMcpTools> {
  const create = createMcpTools({ policy: createAddressPolicy(allow), clock: systemClock });
  const tools = create({ tools: servers }, (notice) => notices.push(notice));
  opened.push(tools);
  await tools.ready;
  return tools;
}

const call = (tools: AgentMcpTools, name: string, args: object, signal = new AbortController().signal) => {
  const tool = tools.tools.find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`no tool ${name} among ${tools.tools.map((other) => other.name).join(', ')}`);
  return tools.call(tool, { ...args }, signal);
};

describe.each(REVISIONS)(
  'the tools of a server of revision $revision that answers as $answersAs',
  (options) => {
    beforeEach(async () => {
      server = await startMcpEmulator(options);
    });

    it('are listed to the last page, under names that a model can call', async () => {
      const { tools } = await open();
      expect(tools.map(({ name }) => name)).toEqual([
        'shop_look_up_order',
        'shop_orders_cancel',
        'shop_catalogue',
        'shop_ask_a_colleague',
      ]);
      expect(tools[0]).toMatchObject({
        description: 'Tells where an order is.',
        parameters: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
        sideEffects: false,
      });
      expect(tools[1]).toMatchObject({ remoteName: 'orders.cancel', sideEffects: true });
      expect(notices).toEqual([]);
    });

    it('are called by their own names and answer what the model gets to read', async () => {
      const tools = await open();
      expect(await call(tools, 'shop_look_up_order', { order: 'A7' })).toBe(
        'Order A7 was shipped yesterday.',
      );
      expect(await call(tools, 'shop_orders_cancel', { order: 'A7' })).toBe('Order A7 was cancelled.');
      expect(server.calls).toEqual([
        { name: 'look_up_order', arguments: { order: 'A7' } },
        { name: 'orders.cancel', arguments: { order: 'A7' } },
      ]);
    });

    it('tell the model why they failed', async () => {
      const tools = await open();
      await expect(call(tools, 'shop_look_up_order', { order: 'B1' })).rejects.toThrow(
        'There is no order B1.',
      );
      await expect(call(tools, 'shop_look_up_order', {})).rejects.toThrow('order is required');
      server.tools = [];
      await expect(call(tools, 'shop_look_up_order', { order: 'A7' })).rejects.toThrow(
        'The server refused: Unknown tool: look_up_order',
      );
    });

    it('are cancelled at the server when the caller no longer waits', async () => {
      const tools = await open();
      const hungUp = new AbortController();
      const asked = call(tools, 'shop_ask_a_colleague', {}, hungUp.signal);
      await expect.poll(() => server.calls.length).toBe(1);
      hungUp.abort(new Error('the call is over'));
      await expect(asked).rejects.toThrow();
      await expect.poll(() => server.cancelled.length).toBe(1);
    });

    it('give up on a server that is too slow, each in its own time', async () => {
      const tools = await open([shop({ timeout_ms: 200 })]);
      await expect(call(tools, 'shop_ask_a_colleague', {})).rejects.toThrow('did not answer in time');
      // A busy machine may want more than one try of 200 ms.
      await expect.poll(() => call(tools, 'shop_look_up_order', { order: 'A7' })).toMatch(/shipped/);
    });

    it('give a long answer cut, and none that is beyond all bounds', async () => {
      const tools = await open();
      expect(await call(tools, 'shop_catalogue', { bytes: 20_000 })).toHaveLength(16 * 1024);
      await expect(call(tools, 'shop_catalogue', { bytes: MAX_ANSWER_BYTES })).rejects.toThrow(
        `The answer is over ${MAX_ANSWER_BYTES} bytes.`,
      );
      expect(await call(tools, 'shop_look_up_order', { order: 'A7' })).toMatch(/shipped/);
    });

    it('are missing when the server is down, with a reason that holds no secret', async () => {
      server.faults.failNext = 10;
      expect((await open()).tools).toEqual([]);
      expect(notices).toEqual([
        {
          code: 'mcp_server_unavailable',
          message:
            'The tools of shop are not available. The server answered with status 500. The agent does without all of its tools.',
        },
      ]);
    });

    it('are missing when the token is wrong', async () => {
      expect((await open([shop({ secret_headers: { authorization: 'Bearer stale' } })])).tools).toEqual([]);
      expect(notices[0]?.message).toBe(
        'The tools of shop are not available. The server answered with status 401. The agent does without all of its tools.',
      );
    });
  },
);

describe('a session with a server', () => {
  beforeEach(async () => {
    server = await startMcpEmulator();
  });

  it('is begun by the handshake in its order, and ended', async () => {
    const tools = await open();
    expect(server.messages).toEqual(['initialize', 'notifications/initialized', 'tools/list', 'tools/list']);
    expect([server.openSessions, server.connections]).toEqual([1, 1]);
    tools.close();
    await expect.poll(() => server.openSessions).toBe(0);
  });

  it('is begun anew when the server has forgotten it; the call is made once', async () => {
    const tools = await open();
    server.forgetSessions();
    const orders = ['A7', 'A7'].map((order) => call(tools, 'shop_look_up_order', { order }));
    expect(await Promise.all(orders)).toHaveLength(2);
    expect(server.calls).toHaveLength(2);
    expect(server.openSessions).toBe(1);
  });

  it('does not hold a conversation up: a silent server is given up', async () => {
    server.faults.silentOn = 'tools/list';
    const opening = open();
    for (const tools of opened) tools.begin();
    expect((await opening).tools).toEqual([]);
    expect(notices[0]?.message).toMatch(/did not answer in time/);
  });

  it('names the tools that the agent allows and the server does not have', async () => {
    const tools = await open([shop({ allowed_tools: ['look_up_order', 'look_up_orders'] })]);
    expect(tools.tools.map(({ name }) => name)).toEqual(['shop_look_up_order']);
    expect(notices).toEqual([
      { code: 'mcp_tools_unknown', message: 'shop has none of these tools: look_up_orders' },
    ]);
  });

  it('is not begun where egress refuses the address, written out or behind a name', async () => {
    const byName = server.serverUrl.replace('127.0.0.1', 'localhost');
    await open([shop(), shop({ name: 'again', server_url: byName })], []);
    expect(notices.map(({ code }) => code)).toEqual(['mcp_server_unavailable', 'mcp_server_unavailable']);
    for (const { message } of notices) expect(message).toMatch(/not allowed|private|address/i);
    expect([server.messages, server.refused]).toEqual([[], []]);
  });

  it('of a server that nobody runs: one leaves the agent without its tools, the others stay', async () => {
    const gone = await startMcpEmulator();
    await gone.close();
    const tools = await open([shop({ name: 'gone', server_url: gone.serverUrl }), shop()]);
    expect(tools.tools).toHaveLength(4);
    expect(notices).toEqual([
      {
        code: 'mcp_server_unavailable',
        message:
          'The tools of gone are not available. The server could not be reached. The agent does without all of its tools.',
      },
    ]);
  });

  it('of a server that is slow come while the phone rings, however long that takes', async () => {
    const clock = new ScriptedClock();
    const create = createMcpTools({ policy: createAddressPolicy(['127.0.0.0/8']), clock });
    const listing = server.hold('tools/list');
    const tools = create({ tools: [shop()] }, (notice) => notices.push(notice));
    opened.push(tools);
    await listing.reached;
    clock.advance(20_000);
    listing.release();
    await tools.ready;
    tools.begin();
    expect(tools.tools).toHaveLength(4);
    expect(notices).toEqual([]);
  });

  it('of a server that is silent at the answer are given up, and the notice says what is missing', async () => {
    const clock = new ScriptedClock();
    const create = createMcpTools({ policy: createAddressPolicy(['127.0.0.0/8']), clock });
    server.faults.silentOn = 'tools/list';
    const tools = create({ tools: [shop({ allowed_tools: ['look_up_order'] })] }, (notice) =>
      notices.push(notice),
    );
    opened.push(tools);
    clock.advance(LISTING_BUDGET_MS);
    tools.begin();
    await tools.ready;
    expect(notices).toEqual([
      {
        code: 'mcp_server_unavailable',
        message:
          'The tools of shop are not available. The server did not answer in time. The agent does without look_up_order.',
      },
    ]);
    expect(clock.pending).toBe(0);
  });

  it('are asked for once a minute by all conversations with the same credentials', async () => {
    const clock = new ScriptedClock();
    const create = createMcpTools({ policy: createAddressPolicy(['127.0.0.0/8']), clock });
    const listings = () => server.messages.filter((method) => method === 'tools/list').length;
    const listed = async (config = shop()) => {
      const tools = create({ tools: [config] }, (notice) => notices.push(notice));
      opened.push(tools);
      await tools.ready;
      return tools;
    };
    await listed();
    const before = listings();
    const second = await listed();
    expect([second.tools.length, listings()]).toEqual([4, before]);
    expect(await call(second, 'shop_look_up_order', { order: 'A7' })).toContain('shipped');
    await listed(shop({ secret_headers: { Authorization: 'Bearer another' } }));
    expect(notices).toMatchObject([{ code: 'mcp_server_unavailable' }]);
    clock.advance(LISTING_LIFE_MS);
    await listed();
    expect(listings()).toBe(2 * before);
  });

  it('says nothing after the conversation is over', async () => {
    server.faults.silentOn = 'initialize';
    const create = createMcpTools({ policy: createAddressPolicy(['127.0.0.0/8']), clock: systemClock });
    const tools = create({ tools: [shop()] }, (notice) => notices.push(notice));
    tools.close();
    await tools.ready;
    expect(notices).toEqual([]);
  });
});
