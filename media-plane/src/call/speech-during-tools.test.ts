import { describe, expect, it } from 'vitest';
import { CascadedStage } from './testing/cascaded-stage.js';

const LOOK_UP = {
  name: 'shop_look_up',
  remoteName: 'look_up',
  description: 'Looks up an order.',
  parameters: { type: 'object', properties: {} },
  sideEffects: false,
  timeoutMs: 20_000,
};

describe('a call whose tool takes long', () => {
  it('answers a caller who speaks while a tool runs, and says its result when that comes', async () => {
    let shipped: (result: string) => void = () => {};
    const stage = new CascadedStage({
      answers: [
        [{ type: 'tool_call', call: { id: 't1', name: 'shop_look_up', arguments: '{}' } }],
        'I am still looking.',
        'It was shipped yesterday.',
      ],
      openMcpTools: () => ({
        tools: [LOOK_UP],
        ready: Promise.resolve(),
        begin: () => {},
        call: () =>
          new Promise((resolve) => {
            shipped = resolve;
          }),
        close: () => {},
      }),
    });
    await stage.pass(200);
    await stage.callerSays('Where is my order?');
    await stage.pass(1000);
    await stage.callerSays('Are you still there?');
    await stage.pass(3000);
    expect(stage.turns().at(-1)).toBe('agent: I am still looking.');
    expect(stage.model.requests.at(-1)?.messages.slice(-2)).toMatchObject([
      { role: 'tool', toolCallId: 't1', content: expect.stringContaining('still being done') },
      { role: 'user', content: 'Are you still there?' },
    ]);
    shipped('yesterday');
    await stage.pass(3000);
    expect(stage.turns().at(-1)).toBe('agent: It was shipped yesterday.');
    expect(stage.model.requests.at(-1)?.messages.at(-1)).toEqual({
      role: 'system',
      content: 'The tool shop_look_up has finished. Its result: yesterday',
    });
    expect(stage.of('tool_execution')).toMatchObject([{ execution: { status: 'succeeded' } }]);
  });

  it('keeps two calls apart that the model’s server gave the same id', async () => {
    const shipped: ((result: string) => void)[] = [];
    const call = { id: 'call_0', name: 'shop_look_up', arguments: '{}' };
    const stage = new CascadedStage({
      answers: [
        [{ type: 'tool_call', call }],
        [{ type: 'tool_call', call }],
        'The one has come.',
        'The other has come.',
      ],
      openMcpTools: () => ({
        tools: [LOOK_UP],
        ready: Promise.resolve(),
        begin: () => {},
        call: () =>
          new Promise((resolve) => {
            shipped.push(resolve);
          }),
        close: () => {},
      }),
    });
    await stage.pass(200);
    await stage.callerSays('Where is my order?');
    await stage.pass(1000);
    await stage.callerSays('And the other one?');
    await stage.pass(2000);
    shipped[1]?.('tomorrow');
    await stage.pass(3000);
    shipped[0]?.('yesterday');
    await stage.pass(3000);
    expect(stage.turns().slice(-2)).toEqual(['agent: The one has come.', 'agent: The other has come.']);
    expect(
      stage.of('tool_execution').map(({ execution }) => [execution.tool_call_id, execution.result]),
    ).toEqual([
      ['call_0_2', 'tomorrow'],
      ['call_0', 'yesterday'],
    ]);
  });
});
