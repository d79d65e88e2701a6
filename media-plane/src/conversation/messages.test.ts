import { describe, expect, it } from 'vitest';
import type { HistoryEntry } from '../call/turn-taking/effects.js';
import { buildMessages } from './messages.js';

const lookUp = {
  id: 't1',
  name: 'look_up',
  arguments: '{"order":5}',
  kind: 'http',
  sideEffects: false,
} as const;
const conversation = (...history: HistoryEntry[]) => buildMessages('Be kind.', history).slice(1);

describe("the model's context", () => {
  it("begins with the agent's prompt and the manners of the phone", () => {
    const [system] = buildMessages('Be kind.', []);
    expect(system?.role).toBe('system');
    expect((system as { content: string }).content).toMatch(/^Be kind\.\n\n.*telephone/);
  });

  it('is the conversation as it was heard', () => {
    expect(
      conversation({ role: 'assistant', text: 'Hello.', toolCalls: [] }, { role: 'user', text: 'Hi.' }),
    ).toEqual([
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'Hi.' },
    ]);
  });

  it("ends with the caller's words so far when the answer is speculative", () => {
    expect(buildMessages('', [], 'I would like').at(-1)).toEqual({ role: 'user', content: 'I would like' });
  });

  it('names each call as its server does, and puts its own result behind it', () => {
    const again = { ...lookUp, id: 't1_2', serverId: 't1' };
    expect(
      conversation(
        { role: 'assistant', text: '', toolCalls: [lookUp] },
        { role: 'tool', toolCallId: 't1', text: 'shipped' },
        { role: 'assistant', text: '', toolCalls: [again] },
        { role: 'tool', toolCallId: 't1_2', serverId: 't1', text: 'lost' },
      ),
    ).toMatchObject([
      { toolCalls: [{ id: 't1' }] },
      { role: 'tool', toolCallId: 't1', content: 'shipped' },
      { toolCalls: [{ id: 't1' }] },
      { role: 'tool', toolCallId: 't1', content: 'lost' },
    ]);
  });

  it('puts a tool result right behind its call, wherever it arrived', () => {
    expect(
      conversation(
        { role: 'assistant', text: 'Let me look.', toolCalls: [lookUp] },
        { role: 'user', text: 'Thanks.' },
        { role: 'tool', toolCallId: 't1', text: 'shipped' },
      ),
    ).toEqual([
      {
        role: 'assistant',
        content: 'Let me look.',
        toolCalls: [{ id: 't1', name: 'look_up', arguments: '{"order":5}' }],
      },
      { role: 'tool', toolCallId: 't1', content: 'shipped' },
      { role: 'user', content: 'Thanks.' },
    ]);
  });

  it('leaves out a call without a result, and with it an assistant who said nothing', () => {
    expect(conversation({ role: 'assistant', text: '', toolCalls: [lookUp] })).toEqual([]);
    expect(conversation({ role: 'assistant', text: 'One moment.', toolCalls: [lookUp] })).toEqual([
      { role: 'assistant', content: 'One moment.' },
    ]);
  });

  it("holds an operator's note as an instruction", () => {
    expect(conversation({ role: 'note', text: 'Offer a discount.' })).toEqual([
      { role: 'system', content: 'Offer a discount.' },
    ]);
  });
});
