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
});
