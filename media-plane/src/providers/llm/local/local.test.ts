import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import type { LlmEvent, LlmRequest } from '../port.js';
import { createLocalLanguageModel } from './local.js';

const request: LlmRequest = {
  choice: { provider: 'local', model: '', params: {} },
  credentials: {},
  messages: [{ role: 'user', content: 'Goodbye.' }],
  tools: [{ name: 'end_call', description: '', parameters: { type: 'object', properties: {} } }],
};

async function collect(events: AsyncIterable<LlmEvent>, into: LlmEvent[] = []) {
  for await (const event of events) into.push(event);
  return into;
}

describe('the local language model', () => {
  it('streams words, then tool calls, then the usage', async () => {
    const events = await collect(
      createLocalLanguageModel({ tokenDelayMs: 0 }).generate(request, new AbortController().signal),
    );
    expect(events.map((event) => event.type)).toEqual([...Array(6).fill('text'), 'tool_call', 'usage']);
    expect(events.flatMap((event) => (event.type === 'text' ? [event.delta] : [])).join('')).toBe(
      'Thank you for your time. Goodbye.',
    );
    expect(events.find((event) => event.type === 'tool_call')).toMatchObject({
      call: { name: 'end_call', arguments: '{}' },
    });
    expect(events.at(-1)).toMatchObject({ type: 'usage', inputTokens: expect.any(Number) });
  });

  it('waits before each word', async () => {
    const clock = new ScriptedClock();
    const events: LlmEvent[] = [];
    const done = collect(
      createLocalLanguageModel({ tokenDelayMs: 50, clock }).generate(request, new AbortController().signal),
      events,
    );
    await clock.advanceAsync(120, 10);
    expect(events).toHaveLength(2);
    await clock.advanceAsync(1000, 10);
    await done;
    expect(events).toHaveLength(8);
  });

  it('ends at once on abort', async () => {
    const clock = new ScriptedClock();
    const abort = new AbortController();
    const reason = new Error('interrupted');
    const done = collect(createLocalLanguageModel({ clock }).generate(request, abort.signal));
    abort.abort(reason);
    await expect(done).rejects.toBe(reason);
    expect(clock.pending).toBe(0);
  });
});
