import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { framesOf, silentFrames, syntheticPhrase } from '../recognition/synthetic-phrase.js';
import type { OpenAiRealtimeEmulator } from './emulator.js';
import { startOpenAiRealtimeEmulator } from './server.js';
import { SdkClient, until } from './testing/test-client.js';

const HOURS = syntheticPhrase('When are you open?');
const PCMU = { type: 'audio/pcmu' } as const;

let emulator: OpenAiRealtimeEmulator;

beforeEach(async () => {
  emulator = await startOpenAiRealtimeEmulator({
    apiKeys: ['good'],
    phrasebook: [HOURS],
    script: [{ whenUserSays: /open/, say: 'We are open from nine to five, Monday to Friday.' }],
  });
});
afterEach(() => emulator.close());

const open = () => new SdkClient(emulator).opened();
const update = (session: object) => ({ type: 'session.update', session: { type: 'realtime', ...session } });
const item = (fields: object) => ({ type: 'conversation.item.create', item: fields });
const manual = { audio: { input: { format: PCMU, turn_detection: null }, output: { format: PCMU } } };

describe('opening a session', () => {
  it('refuses wrong keys, other paths and faults on command in the handshake', async () => {
    const wrong = new SdkClient(emulator, { apiKey: 'bad' });
    await until(() => expect(wrong.failures.join()).toContain('401'));
    emulator.faults.refuseNext = 1;
    emulator.faults.refuseStatus = 429;
    const limited = new SdkClient(emulator);
    await until(() => expect(limited.failures.join()).toContain('429'));
    expect(emulator.counters).toMatchObject({ attempts: 2, refused: 2, sessions: 0 });
    expect((await fetch(emulator.url)).status).toBe(404);
  });

  it.each([
    ['an unknown model', { model: 'gpt-unheard-of' }, 'model_not_found'],
    ['the beta header', { headers: { 'OpenAI-Beta': 'realtime=v1' } }, 'beta_api_shape_disabled'],
  ])('refuses %s with an error event and code 4000', async (_, options, code) => {
    const client = new SdkClient(emulator, options);
    await until(() => expect(client.closed?.code).toBe(4000));
    expect(client.closed?.reason).toBe(`invalid_request_error.${code}`);
    expect(client.of('error')[0]!.error).toMatchObject({ type: 'invalid_request_error', code });
  });

  it('shows the defaults, then what an update made of them', async () => {
    const client = await open();
    expect(client.of('session.created')[0]!.session).toMatchObject({
      type: 'realtime',
      output_modalities: ['audio'],
      audio: {
        input: { format: { type: 'audio/pcm', rate: 24_000 }, turn_detection: { type: 'server_vad' } },
      },
    });
    client.sendRaw(update({ instructions: 'Be brief.', audio: { input: { turn_detection: null } } }));
    await until(() => expect(client.of('session.updated')).toHaveLength(1));
    expect(client.of('session.updated')[0]!.session).toMatchObject({
      instructions: 'Be brief.',
      audio: { input: { turn_detection: null }, output: { format: { type: 'audio/pcm', rate: 24_000 } } },
    });
  });

  it('ends a session when its time is up', async () => {
    emulator.faults.sessionLimitMs = 60;
    const client = await open();
    await until(() => expect(client.closed?.code).toBe(1001));
    expect(client.of('error')[0]!.error.code).toBe('session_expired');
  });
});

describe('what is refused', () => {
  it.each([
    ['a flat field of the beta', update({ voice: 'alloy' }), 'unknown_parameter', 'session.voice'],
    ['temperature', update({ temperature: 0.8 }), 'unknown_parameter', 'session.temperature'],
    [
      'a format of the beta',
      update({ audio: { input: { format: 'g711_ulaw' } } }),
      'invalid_type',
      'session.audio.input.format',
    ],
    [
      'PCM without its rate',
      update({ audio: { input: { format: { type: 'audio/pcm' } } } }),
      'missing_required_parameter',
      'session.audio.input.format.rate',
    ],
    [
      'a session without a type',
      { type: 'session.update', session: {} },
      'missing_required_parameter',
      'session.type',
    ],
    [
      'text and audio at once',
      update({ output_modalities: ['text', 'audio'] }),
      'invalid_value',
      'session.output_modalities',
    ],
    [
      'an unknown field of turn detection',
      update({ audio: { input: { turn_detection: { type: 'semantic_vad', threshold: 1 } } } }),
      'unknown_parameter',
      'session.audio.input.turn_detection.threshold',
    ],
    ['a wrong type', update({ instructions: 5 }), 'invalid_type', 'session.instructions'],
    [
      'an unknown voice',
      update({ audio: { output: { voice: 'nobody' } } }),
      'invalid_value',
      'session.audio.output.voice',
    ],
    ['another model', update({ model: 'gpt-realtime-mini' }), 'invalid_value', 'session.model'],
    ['an unknown event', { type: 'response.createe' }, 'invalid_value', 'type'],
    ['what is no JSON', '{"type":', 'invalid_json', null],
    [
      'audio that is not base64',
      { type: 'input_audio_buffer.append', audio: 'ab-_' },
      'invalid_value',
      'audio',
    ],
    [
      'half a sample',
      { type: 'input_audio_buffer.append', audio: Buffer.alloc(3).toString('base64') },
      'invalid_value',
      'audio',
    ],
    ['clearing the output over WebSocket', { type: 'output_audio_buffer.clear' }, 'invalid_value', 'type'],
    [
      'an assistant that says text of the beta',
      item({ type: 'message', role: 'assistant', content: [{ type: 'text', text: 'hello' }] }),
      'invalid_value',
      'item.content.0.type',
    ],
    [
      'a result of no call',
      item({ type: 'function_call_output', call_id: 'call_1', output: '' }),
      'invalid_tool_call_id',
      'item.call_id',
    ],
    [
      'modalities by their beta name',
      { type: 'response.create', response: { modalities: ['text'] } },
      'unknown_parameter',
      'response.modalities',
    ],
    ['cancelling nothing', { type: 'response.cancel' }, 'response_cancel_not_active', null],
    [
      'truncating nothing',
      { type: 'conversation.item.truncate', item_id: 'item_1', content_index: 0, audio_end_ms: 1 },
      'item_truncate_invalid_item_id',
      'item_id',
    ],
  ])('refuses %s and goes on', async (_, event, code, param) => {
    const client = await open();
    const named = typeof event === 'string' ? event : { ...event, event_id: 'mine' };
    expect(await client.refusal(named)).toMatchObject({
      type: 'invalid_request_error',
      code,
      param,
      event_id: typeof event === 'string' ? null : 'mine',
    });
    client.sendRaw(update({ instructions: 'Go on.' }));
    await until(() => expect(client.of('session.updated')).toHaveLength(1));
    expect(client.closed).toBeUndefined();
  });

  it('refuses to commit less than 100 ms', async () => {
    const client = await open();
    client.sendRaw(update(manual));
    client.append(silentFrames(80));
    const error = await client.refusal({ type: 'input_audio_buffer.commit' });
    expect(error.code).toBe('input_audio_buffer_commit_empty');
    expect(error.message).toContain('80.00ms');
  });

  it('refuses another voice once it has spoken, and the whole update with it', async () => {
    const client = await open();
    client.sendRaw(update(manual));
    client.send({ type: 'response.create', response: { instructions: 'Say exactly: hello there' } });
    await client.done();
    const error = await client.refusal(
      update({ instructions: 'new', audio: { output: { voice: 'marin' } } }),
    );
    expect(error.code).toBe('cannot_update_voice');
    client.sendRaw(update({}));
    await until(() => expect(client.of('session.updated')).toHaveLength(2));
    expect(client.of('session.updated')[1]!.session).not.toMatchObject({ instructions: 'new' });
  });

  it('refuses a second response while one is given, and truncation beyond its audio', async () => {
    const client = await open();
    client.sendRaw(update(manual));
    emulator.faults.stallNext = 1;
    client.append([...framesOf(HOURS.audio), ...silentFrames(100)]);
    client.send({ type: 'input_audio_buffer.commit' });
    client.send({ type: 'response.create' });
    await until(() => expect(client.of('response.output_audio.delta').length).toBeGreaterThan(0));
    const second = await client.refusal({ type: 'response.create' });
    expect(second.code).toBe('conversation_already_has_active_response');
    client.send({ type: 'response.cancel' });
    const response = await client.done();
    expect(response).toMatchObject({
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'client_cancelled' },
    });
    const { item_id } = client.of('response.output_audio.delta')[0]!;
    const truncate = { type: 'conversation.item.truncate', item_id, content_index: 0 } as const;
    const beyond = await client.refusal({ ...truncate, audio_end_ms: 201 });
    expect(beyond.message).toBe('Audio content of 200ms is already shorter than 201ms');
    client.send({ ...truncate, audio_end_ms: 120 });
    await until(() => expect(client.of('conversation.item.truncated')[0]?.audio_end_ms).toBe(120));
    client.send({ type: 'conversation.item.retrieve', item_id });
    await until(() =>
      expect(client.of('conversation.item.retrieved')[0]!.item).toMatchObject({
        content: [{ type: 'output_audio' }],
      }),
    );
  });
});
