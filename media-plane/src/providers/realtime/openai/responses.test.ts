import { L16_16K, PCMU_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { RealtimeClientEvent } from 'openai/resources/realtime/realtime';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProviderError } from '../../provider-error.js';
import type { RealtimeEvent } from '../port.js';
import { Responses } from './responses.js';

let clock: ScriptedClock;
let sent: RealtimeClientEvent[];
let events: RealtimeEvent[];
let failures: ProviderError[];
let responses: Responses;

function create(format: typeof PCMU_8K | typeof L16_16K = PCMU_8K): Responses {
  return new Responses({
    format,
    clock,
    send: (event) => sent.push(event),
    emit: (event) => events.push(event),
    fail: (error) => failures.push(error),
  });
}

beforeEach(() => {
  clock = new ScriptedClock();
  sent = [];
  events = [];
  failures = [];
  responses = create();
});

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const sentTypes = () => sent.map((event) => event.type);
const begun = (number: number, id = `resp_${number}`) =>
  responses.onCreated({ type: 'response.created', response: { id, metadata: { tag: `respond_${number}` } } });
const audio = (ms: number, id: string, item = 'item_1') =>
  responses.onAudio({
    type: 'response.output_audio.delta',
    response_id: id,
    item_id: item,
    delta: Buffer.alloc(ms * 8, 0x80).toString('base64'),
  });
const message = (id: string, item = 'item_1') =>
  responses.onItemAdded({
    type: 'response.output_item.added',
    response_id: id,
    item: { id: item, type: 'message' },
  });
const done = (id: string, fields: object = { status: 'completed' }) =>
  responses.onDone({ type: 'response.done', response: { id, ...fields } });
const finished = () => events.filter((event) => event.type === 'response_finished');

describe('one response at a time', () => {
  it('waits for the end of a cancelled response before it asks for the next', () => {
    const first = responses.respond({});
    begun(first);
    const second = responses.respond({ verbatim: 'Goodbye.' });
    expect(sentTypes()).toEqual(['response.create', 'response.cancel']);
    done('resp_1', { status: 'cancelled' });
    expect(sentTypes()).toEqual(['response.create', 'response.cancel', 'response.create']);
    expect(finished()).toEqual([{ type: 'response_finished', response: first, outcome: 'cancelled' }]);
    begun(second);
    expect(events.at(-1)).toEqual({ type: 'response_started', response: second, unasked: false });
  });

  it('passes nothing on of a response that was cancelled before it began', () => {
    const first = responses.respond({});
    responses.cancel(first);
    begun(first);
    audio(100, 'resp_1');
    responses.onText('resp_1', 'Hello');
    responses.onItemDone({
      type: 'response.output_item.done',
      response_id: 'resp_1',
      item: { id: 'item_2', type: 'function_call', call_id: 'call_1', name: 'book', arguments: '{}' },
    });
    expect(events).toEqual([]);
    done('resp_1', { status: 'completed' });
    expect(finished()).toEqual([{ type: 'response_finished', response: first, outcome: 'cancelled' }]);
  });

  it('fails the session when the end of a cancelled response never comes', () => {
    const first = responses.respond({});
    begun(first);
    responses.cancel(first);
    responses.cancel(first);
    expect(sentTypes()).toEqual(['response.create', 'response.cancel']);
    clock.advance(2999);
    expect(failures).toEqual([]);
    clock.advance(1);
    expect(failures).toMatchObject([{ code: 'realtime_timed_out', retryable: true }]);
  });

  it('reports as cancelled what was overtaken before it was asked for', async () => {
    begun(responses.respond({}));
    const second = responses.respond({});
    responses.respond({});
    expect(finished()).toEqual([]);
    await settled();
    expect(finished()).toEqual([{ type: 'response_finished', response: second, outcome: 'cancelled' }]);
  });

  it('numbers a response that the service began by itself, and asks again for what that kept out', () => {
    const asked = responses.respond({});
    responses.onCreated({ type: 'response.created', response: { id: 'resp_auto' } });
    const started = events.at(-1)!;
    expect(started).toMatchObject({ type: 'response_started', unasked: true });
    const refusal = { code: 'conversation_already_has_active_response', event_id: `respond_${asked}` };
    expect(responses.onRefused(refusal)).toBe(true);
    expect(finished()).toEqual([]);
    done('resp_auto');
    expect(sentTypes()).toEqual(['response.create', 'response.create']);
    begun(asked, 'resp_late');
    expect(events.at(-1)).toMatchObject({ type: 'response_started', response: asked, unasked: false });
  });

  it('fails a response that the service refuses', () => {
    const asked = responses.respond({});
    expect(responses.onRefused({ code: 'rate_limit_exceeded', event_id: 'another' })).toBe(false);
    expect(responses.onRefused({ code: 'rate_limit_exceeded', event_id: `respond_${asked}` })).toBe(true);
    expect(finished()).toMatchObject([
      { response: asked, outcome: 'failed', error: { code: 'realtime_rate_limited', retryable: true } },
    ]);
  });
});

describe("a response's end", () => {
  it.each([
    [{ status: 'completed' }, { outcome: 'completed' }],
    [{ status: 'incomplete', status_details: { reason: 'max_output_tokens' } }, { outcome: 'completed' }],
    [
      { status: 'incomplete', status_details: { reason: 'content_filter' } },
      { outcome: 'failed', error: { code: 'realtime_bad_request', retryable: false } },
    ],
    [{ status: 'cancelled', status_details: { reason: 'turn_detected' } }, { outcome: 'cancelled' }],
    [
      { status: 'failed', status_details: { error: { code: 'server_error' } } },
      { outcome: 'failed', error: { code: 'realtime_unavailable', retryable: true } },
    ],
    [
      { status: 'failed', status_details: { error: { code: 'insufficient_quota' } } },
      { outcome: 'failed', error: { code: 'realtime_rate_limited', retryable: false } },
    ],
    [
      { status: 'failed', status_details: { error: { code: 'model_not_found' } } },
      { outcome: 'failed', error: { code: 'realtime_bad_request', retryable: false } },
    ],
  ])('reads %j', (response, outcome) => {
    begun(responses.respond({}));
    done('resp_1', response);
    expect(finished()).toMatchObject([outcome]);
  });

  it('gives the rest of converted audio before it, and nothing is lost', () => {
    responses = create(L16_16K);
    begun(responses.respond({}));
    const delta = Buffer.alloc(24_000 * 2, 1).toString('base64');
    responses.onAudio({ type: 'response.output_audio.delta', response_id: 'resp_1', item_id: 'i', delta });
    done('resp_1');
    const bytes = events.reduce((sum, event) => sum + (event.type === 'audio' ? event.audio.length : 0), 0);
    expect(bytes).toBe(16_000 * 2);
    expect(events.at(-1)!.type).toBe('response_finished');
  });

  it('reports tokens by modality, also of what was cancelled', () => {
    const first = responses.respond({});
    begun(first);
    responses.cancel(first);
    const usage = {
      input_token_details: {
        text_tokens: 50,
        audio_tokens: 40,
        cached_tokens: 60,
        cached_tokens_details: { text_tokens: 45, audio_tokens: 15 },
      },
      output_token_details: { text_tokens: 7, audio_tokens: 30 },
    };
    done('resp_1', { status: 'cancelled', usage });
    expect(events.filter((event) => event.type === 'usage')).toEqual([
      {
        type: 'usage',
        of: 'response',
        usage: {
          inputAudioTokens: 40,
          inputTextTokens: 50,
          cachedAudioTokens: 15,
          cachedTextTokens: 45,
          outputAudioTokens: 30,
          outputTextTokens: 7,
        },
      },
    ]);
  });
});

describe('what the caller did not hear', () => {
  const spoken = (...lengths: readonly number[]) => {
    const number = responses.respond({});
    begun(number);
    for (const [index, ms] of lengths.entries()) {
      message('resp_1', `item_${index + 1}`);
      audio(ms, 'resp_1', `item_${index + 1}`);
    }
    sent = [];
    return number;
  };
  const cut = (item: string, ms: number) => ({
    type: 'conversation.item.truncate',
    item_id: item,
    content_index: 0,
    audio_end_ms: ms,
  });
  const gone = (item: string) => ({ type: 'conversation.item.delete', item_id: item });

  it('is cut at the position, in whole ms', () => {
    const number = spoken(1000);
    done('resp_1');
    responses.truncate(number, 412.7);
    expect(sent).toEqual([cut('item_1', 412)]);
  });

  it('is cut only when the response is over', () => {
    const number = spoken(1000);
    responses.cancel(number);
    responses.truncate(number, 600);
    expect(sent).toEqual([{ type: 'response.cancel', response_id: 'resp_1' }]);
    audio(200, 'resp_1');
    done('resp_1', { status: 'cancelled' });
    expect(sent.slice(1)).toEqual([cut('item_1', 600)]);
  });

  it('is nothing when all was heard, unless the response was cancelled with more to come', () => {
    const number = spoken(1000);
    done('resp_1');
    responses.truncate(number, 5000);
    expect(sent).toEqual([]);
    const next = responses.respond({});
    begun(next);
    message('resp_2', 'item_2');
    audio(700, 'resp_2', 'item_2');
    responses.cancel(next);
    responses.truncate(next, 5000);
    sent = [];
    done('resp_2', { status: 'cancelled' });
    expect(sent).toEqual([cut('item_2', 700)]);
  });

  it('goes wholly when nothing of it was heard, and later items with it', () => {
    const number = spoken(500, 500, 500);
    done('resp_1');
    responses.truncate(number, 700);
    expect(sent).toEqual([cut('item_2', 200), gone('item_3')]);
    responses.truncate(number, 0);
    expect(sent.slice(2)).toEqual([gone('item_1'), gone('item_2')]);
  });

  it('is forgotten when it came after the cancelling', () => {
    const number = responses.respond({});
    begun(number);
    responses.cancel(number);
    message('resp_1');
    audio(300, 'resp_1');
    sent = [];
    done('resp_1', { status: 'cancelled' });
    expect(sent).toEqual([gone('item_1')]);
  });
});

it('shows that a tool call is being written before it is whole, unless it was cancelled', () => {
  const number = responses.respond({});
  begun(number);
  const item = { id: 'call_item', type: 'function_call' };
  responses.onItemAdded({ type: 'response.output_item.added', response_id: 'resp_1', item });
  const part = { type: 'response.function_call_arguments.delta', response_id: 'resp_1' } as const;
  responses.onArguments(part);
  const sign = { type: 'tool_call_part', response: number };
  expect(events.slice(1)).toEqual([sign, sign]);
  responses.cancel(number);
  responses.onArguments(part);
  expect(events.slice(1)).toEqual([sign, sign]);
});
