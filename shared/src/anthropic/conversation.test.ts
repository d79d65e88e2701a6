import { describe, expect, it } from 'vitest';
import { anthropicParams } from '../catalogue/params/anthropic.js';
import type { LlmMessage } from '../language-model/conversation.js';
import { toConversation } from './conversation.js';
import { isAnthropic, messagesRequest } from './request.js';
import { thinkingOf } from './thinking.js';

const text = (words: string) => ({ type: 'text', text: words });
const request = (messages: readonly LlmMessage[], params = {}, eagerInput = false) =>
  messagesRequest({
    model: 'claude-haiku-5-5',
    params: anthropicParams.parse(params),
    messages,
    tools: [{ name: 'book', description: '', parameters: { type: 'object' } }],
    eagerInput,
  });

describe('a conversation for the Messages API', () => {
  it('has the prompt apart, and later instructions in the user’s turn', () => {
    const { system, turns } = toConversation([
      { role: 'system', content: 'You are a receptionist.' },
      { role: 'user', content: 'Hello.' },
      { role: 'system', content: 'Offer Tuesday.' },
    ]);
    expect(system).toBe('You are a receptionist.');
    expect(turns).toEqual([
      { role: 'user', content: [text('Hello.'), text('<system>Offer Tuesday.</system>')] },
    ]);
  });

  it('begins and ends with the user, with the agent first or last as well', () => {
    const { turns } = toConversation([
      { role: 'system', content: 'Be kind.' },
      { role: 'assistant', content: 'Good morning.' },
    ]);
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(toConversation([{ role: 'system', content: 'Greet.' }]).turns).toHaveLength(1);
  });

  it('leaves out empty text, and puts results before what is said in their turn', () => {
    const { turns } = toConversation([
      { role: 'user', content: 'Book it.' },
      { role: 'assistant', content: ' ', toolCalls: [{ id: 'a', name: 'book', arguments: '{"day":1}' }] },
      { role: 'user', content: 'Wait.' },
      { role: 'tool', toolCallId: 'a', content: 'done' },
    ]);
    expect(turns.slice(1)).toEqual([
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'book', input: { day: 1 } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'done' }, text('Wait.')] },
    ]);
  });

  it.each(['functions.book:0', 'call 1', ''])(
    'gives the call %j of another model an id that is taken',
    (id) => {
      const { turns } = toConversation([
        { role: 'user', content: 'Book it.' },
        { role: 'assistant', content: '', toolCalls: [{ id, name: 'book', arguments: '{}' }] },
        { role: 'tool', toolCallId: id, content: 'done' },
      ]);
      const [, call, result] = turns.map(({ content }) => content[0]);
      expect(call).toMatchObject({ id: expect.stringMatching(/^[a-zA-Z0-9_-]+$/) });
      expect(result).toMatchObject({ tool_use_id: call?.type === 'tool_use' && call.id });
    },
  );

  it('gives the input of a call as an object, whatever the model had written', () => {
    const call = (args: string) =>
      toConversation([
        { role: 'user', content: 'Book it.' },
        { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'book', arguments: args }] },
      ]).turns[1]!.content[0];
    expect(['', '7', '[1]', '{'].map(call)).toEqual(
      Array.from({ length: 4 }, () => ({ type: 'tool_use', id: 'a', name: 'book', input: {} })),
    );
  });
});

describe('a request of the Messages API', () => {
  it('has tools’ input streamed as it is written, where the vendor answers', () => {
    const [tool] = request([], {}, true).tools!;
    expect(tool).toMatchObject({ name: 'book', eager_input_streaming: true });
    expect(request([]).tools![0]).not.toHaveProperty('eager_input_streaming');
  });

  it.each([
    ['https://api.anthropic.com/v1/messages', true],
    ['https://anthropic.com.example.org', false],
    ['https://bedrock.example.org/v1/messages', false],
    ['not an address', false],
  ])('knows whether the vendor answers at %s: %s', (url, expected) => {
    expect(isAnthropic(url)).toBe(expected);
  });

  it('keeps the prompt and the conversation so far for the next one, unless it must not', () => {
    const messages: LlmMessage[] = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hello.' },
    ];
    const marks = (body: object) => JSON.stringify(body).match(/"cache_control":\{"type":"ephemeral"\}/g);
    expect(marks(request(messages))).toHaveLength(2);
    expect(marks(request(messages, { prompt_caching: false }))).toBeNull();
  });

  it.each([
    ['claude-haiku-4-5', {}, {}],
    ['claude-haiku-5-5', {}, { thinking: 'disabled' }],
    ['claude-opus-5', {}, { thinking: 'disabled' }],
    ['claude-opus-5-5', {}, { effort: 'low' }],
    ['claude-sonnet-5-5', {}, { thinking: 'between_tools' }],
    ['claude-sonnet-5-5', { effort: 'max' }, { effort: 'max' }],
    ['claude-opus-5-5', { effort: 'high' }, { effort: 'high' }],
    ['claude-haiku-5-5', { thinking: 'adaptive' }, { thinking: 'adaptive' }],
  ])('lets %s with %o think as little as it can', (model, params, expected) => {
    expect(thinkingOf(model, anthropicParams.parse(params))).toEqual(expected);
  });
});
