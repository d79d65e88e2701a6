import { describe, expect, it } from 'vitest';
import { toChatMessages } from './messages.js';

describe('a conversation for the chat-completions API', () => {
  it.each([
    ['{"day":1}', '{"day":1}'],
    ['{', '{}'],
    ['{"a":1}{"b":2}', '{}'],
    ['[1]', '{}'],
    ['', '{}'],
  ])('gives the arguments %j as %j: servers refuse what is no JSON object', (written, sent) => {
    const toolCalls = [{ id: 'a', name: 'book', arguments: written }];
    expect(toChatMessages([{ role: 'assistant', content: '', toolCalls }])).toMatchObject([
      { tool_calls: [{ id: 'a', function: { name: 'book', arguments: sent } }] },
    ]);
  });
});
