import { describe, expect, it } from 'vitest';
import type { ChatRequest } from './request.js';
import { answerTo, DEFAULT_SCRIPT } from './script.js';

function request(messages: ChatRequest['messages'], tools: string[] = []): ChatRequest {
  return {
    model: 'm',
    stream: true,
    messages,
    tools: tools.map((name) => ({ type: 'function', function: { name } })),
  };
}

const user = (content: string) => ({ role: 'user' as const, content });

describe("the emulated model's script", () => {
  it('takes its answers in turn as the conversation goes on', () => {
    const says = ['One.', 'Two.'];
    const script = [{ whenUserSays: /./, say: says }];
    const messages = [user('a')];
    for (const expected of ['One.', 'Two.', 'One.']) {
      expect(answerTo(request(messages), script).text).toBe(expected);
      messages.push(user('b'));
    }
  });

  it('takes the first rule that applies, and asks again when none does', () => {
    const script = [
      { whenUserSays: /book/, say: 'First.' },
      { whenUserSays: /./, say: 'Second.' },
    ];
    expect(answerTo(request([user('please book it')]), script).text).toBe('First.');
    expect(answerTo(request([user('hello')]), script).text).toBe('Second.');
    expect(answerTo(request([user('hello')]), []).text).toContain('again');
  });

  it('answers a tool result by the rule of that tool', () => {
    const script = [
      { whenUserSays: /./, say: 'Wrong.' },
      { afterTool: 'book', say: 'Booked: {{result}}.' },
      { afterTool: '*', say: 'Done.' },
    ];
    for (const [name, expected] of [
      ['book', 'Booked: {}.'],
      ['other', 'Done.'],
    ] as const) {
      const call = { id: 'c', type: 'function' as const, function: { name, arguments: '{}' } };
      const messages: ChatRequest['messages'] = [
        user('go'),
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: '{}' },
      ];
      expect(answerTo(request(messages), script).text).toBe(expected);
    }
  });

  it('ends the call on a goodbye, if it can', () => {
    const goodbye = request([user('No, that is all, thank you, goodbye!')], ['end_call', 'transfer_call']);
    expect(answerTo(goodbye, DEFAULT_SCRIPT)).toMatchObject({
      text: expect.stringContaining('Goodbye'),
      toolCalls: [{ name: 'end_call' }],
    });
    expect(answerTo({ ...goodbye, tools: undefined }, DEFAULT_SCRIPT).toolCalls).toEqual([]);
    expect(answerTo({ ...goodbye, tool_choice: 'none' }, DEFAULT_SCRIPT).toolCalls).toEqual([]);
  });
});
