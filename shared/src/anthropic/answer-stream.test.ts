import { describe, expect, it } from 'vitest';
import { AnswerStream, UnreadableEvent } from './answer-stream.js';
import { eventData } from './server-sent-events.js';

const read = (...events: object[]) => {
  const answer = new AnswerStream();
  return events.flatMap((event) => answer.read(JSON.stringify(event)));
};
const delta = (index: number, part: object) => ({ type: 'content_block_delta', index, delta: part });

describe('a streamed answer', () => {
  it('brings text, whole calls and all tokens, those of the cache among them', () => {
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 200,
      cache_read_input_tokens: 3000,
      output_tokens: 1,
    };
    expect(
      read(
        { type: 'message_start', message: { usage } },
        { type: 'ping' },
        { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
        delta(0, { type: 'thinking_delta', thinking: 'Let me see.' }),
        { type: 'content_block_stop', index: 0 },
        { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
        delta(1, { type: 'text_delta', text: 'One moment.' }),
        { type: 'content_block_stop', index: 1 },
        { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 't', name: 'book' } },
        delta(2, { type: 'input_json_delta', partial_json: '{"day"' }),
        delta(2, { type: 'input_json_delta', partial_json: ':1}' }),
        { type: 'content_block_stop', index: 2 },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 42 } },
        { type: 'message_stop' },
      ),
    ).toEqual([
      { type: 'text', delta: 'One moment.' },
      { type: 'tool_call_part' },
      { type: 'tool_call_part' },
      { type: 'tool_call_part' },
      { type: 'tool_call', call: { id: 't', name: 'book', arguments: '{"day":1}' } },
      { type: 'usage', inputTokens: 3210, outputTokens: 42 },
      { type: 'end', reason: 'tool_use' },
    ]);
  });

  it.each([
    ['max_tokens', '', '{'],
    ['model_context_window_exceeded', '', '{'],
    ['max_tokens', '{"day"', '{"day"'],
    ['max_tokens', '{"day":1}', '{"day":1}'],
    ['tool_use', '', '{}'],
  ])('that ends with %s after the arguments %j brings them as %j', (stop_reason, json, expected) => {
    const events = read(
      ...[0, 1].flatMap((index) => [
        { type: 'content_block_start', index, content_block: { type: 'tool_use', id: 't', name: 'book' } },
        delta(index, { type: 'input_json_delta', partial_json: index === 0 ? '' : json }),
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 42 } },
      { type: 'message_stop' },
    );
    const calls = events.flatMap((event) => (event.type === 'tool_call' ? [event.call.arguments] : []));
    expect(calls).toEqual(['{}', expected]);
  });

  it('may have events that are not known yet', () => {
    expect(read({ type: 'weather' })).toEqual([]);
  });

  it.each([
    ['no JSON', '<html>'],
    ['no type', '{}'],
    ['a delta without a block', '{"type":"content_block_delta","delta":null}'],
    ['a start without usage', '{"type":"message_start","message":{}}'],
  ])('is unreadable with %s', (_case, data) => {
    expect(() => new AnswerStream().read(data)).toThrow(UnreadableEvent);
  });
});

describe('server-sent events', () => {
  it.each([1, 3, 1000])('are read from pieces of %s bytes, with any end of line', async (size) => {
    const bytes = new TextEncoder().encode('event: a\r\ndata: {"ä":1}\r\n\r\n: note\ndata:2\n\n');
    async function* body() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const data: string[] = [];
    for await (const one of eventData(body())) data.push(one);
    expect(data).toEqual(['{"ä":1}', '2']);
  });
});
