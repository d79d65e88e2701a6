import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { demoAgent, demoLines } from '@voice/shared/contracts/demo-agent';
import { afterEach, describe, expect, it } from 'vitest';
import { framesOf, silentFrames, syntheticPhrase } from '../recognition/synthetic-phrase.js';
import type { OpenAiRealtimeEmulator } from './emulator.js';
import type { OpenAiRealtimeEmulatorOptions } from './options.js';
import { startOpenAiRealtimeEmulator } from './server.js';
import { SdkClient, until } from './testing/test-client.js';

const HOURS = syntheticPhrase('When are you open?');
const BOOK = syntheticPhrase('Please book it.');
const SCRIPT = [
  { whenUserSays: /open/, say: 'We are open from nine to five.' },
  { whenUserSays: /book/, say: 'One moment.', toolCalls: [{ name: 'book', arguments: { day: 'Tuesday' } }] },
  { afterTool: 'book', say: 'It is booked.' },
];
const PCMU = { type: 'audio/pcmu' } as const;

let emulator: OpenAiRealtimeEmulator;

async function start(options: OpenAiRealtimeEmulatorOptions = {}): Promise<void> {
  emulator = await startOpenAiRealtimeEmulator({ phrasebook: [HOURS, BOOK], script: SCRIPT, ...options });
}
afterEach(() => emulator.close());

async function configured(input: object = {}, session: object = {}): Promise<SdkClient> {
  const client = await new SdkClient(emulator).opened();
  client.sendRaw({
    type: 'session.update',
    session: {
      type: 'realtime',
      ...session,
      audio: { input: { format: PCMU, turn_detection: null, ...input }, output: { format: PCMU } },
    },
  });
  await until(() => expect(client.of('session.updated')).toHaveLength(1));
  return client;
}

const said = (phrase: { audio: Uint8Array }) => [...framesOf(phrase.audio), ...silentFrames(100)];

describe('a conversation with the official client', () => {
  it('sends the events of a spoken response in their order', async () => {
    await start();
    const client = await configured();
    client.append(said(HOURS));
    client.send({ type: 'input_audio_buffer.commit' });
    client.send({ type: 'response.create', response: { metadata: { tag: '1' } } });
    const response = await client.done();
    await until(() => expect(client.of('rate_limits.updated')).toHaveLength(1));
    const types = client.events.map((event) => event.type);
    expect(types.filter((type) => !type.endsWith('.delta'))).toEqual([
      'session.created',
      'session.updated',
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
      'response.created',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.content_part.done',
      'conversation.item.done',
      'response.output_item.done',
      'response.done',
      'rate_limits.updated',
    ]);
    const deltas = types.filter((type) => type.endsWith('.delta'));
    expect(new Set(deltas)).toEqual(
      new Set(['response.output_audio.delta', 'response.output_audio_transcript.delta']),
    );
    expect(types.indexOf(deltas[0]!)).toBeGreaterThan(types.indexOf('response.content_part.added'));
    expect(types.lastIndexOf(deltas.at(-1)!)).toBeLessThan(types.indexOf('response.output_audio.done'));
    expect(response).toMatchObject({ status: 'completed', metadata: { tag: '1' } });
    expect(client.of('response.output_audio_transcript.done')[0]!.transcript).toBe(
      'We are open from nine to five.',
    );
    const bytes = client
      .of('response.output_audio.delta')
      .reduce((sum, { delta }) => sum + Buffer.from(delta, 'base64').length, 0);
    const { output_token_details: output, input_token_details: input } = response.usage!;
    expect(output!.audio_tokens).toBe(Math.ceil(bytes / 8 / 50));
    expect(input!.audio_tokens).toBeGreaterThan(0);
    expect(client.failures).toEqual([]);
  });

  it('counts what it read before as cached', async () => {
    await start();
    const client = await configured();
    for (const count of [1, 2]) {
      client.append(said(HOURS));
      client.send({ type: 'input_audio_buffer.commit' });
      client.send({ type: 'response.create' });
      await client.done(count);
    }
    const [first, second] = client.of('response.done').map(({ response }) => response.usage!);
    expect(first!.input_token_details!.cached_tokens).toBe(0);
    expect(second!.input_token_details!.cached_tokens).toBe(first!.input_tokens);
  });

  it('writes down what the caller said, and says when it cannot', async () => {
    await start();
    const client = await configured({ transcription: { model: 'gpt-4o-mini-transcribe', language: 'en' } });
    emulator.faults.failTranscriptionNext = 1;
    for (const phrase of [BOOK, HOURS]) {
      client.append(said(phrase));
      client.send({ type: 'input_audio_buffer.commit' });
    }
    const name = 'conversation.item.input_audio_transcription';
    await until(() => expect(client.of(`${name}.completed`)).toHaveLength(1));
    const [completed] = client.of(`${name}.completed`);
    expect(completed).toMatchObject({ transcript: HOURS.text, usage: { type: 'tokens' } });
    expect(client.of(`${name}.failed`)).toHaveLength(1);
    const deltas = client.of(`${name}.delta`).map(({ delta }) => delta);
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe(HOURS.text);
  });

  it('calls a tool and goes on with its result', async () => {
    await start();
    const tool = { type: 'function', name: 'book', parameters: { type: 'object', properties: {} } };
    const client = await configured({}, { tools: [tool] });
    client.append(said(BOOK));
    client.send({ type: 'input_audio_buffer.commit' });
    client.send({ type: 'response.create' });
    await client.done();
    const [call] = client.of('response.function_call_arguments.done');
    expect(call).toMatchObject({ name: 'book', arguments: '{"day":"Tuesday"}' });
    client.send({
      type: 'conversation.item.create',
      item: { type: 'function_call_output', call_id: call!.call_id, output: '{"ok":true}' },
    });
    client.send({ type: 'response.create', response: { output_modalities: ['text'] } });
    await client.done(2);
    expect(client.of('response.output_text.done')[0]!.text).toBe('It is booked.');
  });

  it('finds turns by itself, answers them, and is interrupted', async () => {
    await start();
    const client = await configured({ turn_detection: { type: 'server_vad', silence_duration_ms: 300 } });
    client.append([...silentFrames(1000), ...framesOf(HOURS.audio)]);
    emulator.faults.stallNext = 1;
    client.append(silentFrames(400));
    await until(() => expect(client.of('response.output_audio.delta').length).toBeGreaterThan(0));
    const [started] = client.of('input_audio_buffer.speech_started');
    const [stopped] = client.of('input_audio_buffer.speech_stopped');
    expect(started!.audio_start_ms).toBe(700);
    expect(stopped!.item_id).toBe(started!.item_id);
    expect(client.of('input_audio_buffer.committed')[0]!.item_id).toBe(started!.item_id);
    client.append(framesOf(BOOK.audio));
    const response = await client.done();
    expect(response.status_details).toEqual({ type: 'cancelled', reason: 'turn_detected' });
  });

  it('leaves the answer to the client where the session says so', async () => {
    await start();
    const turn_detection = { type: 'semantic_vad', create_response: false, interrupt_response: false };
    const client = await configured({ turn_detection });
    client.append([...framesOf(HOURS.audio), ...silentFrames(1500)]);
    await until(() => expect(client.of('input_audio_buffer.committed')).toHaveLength(1));
    expect(client.of('response.created')).toEqual([]);
  });

  it('prompts a caller who stays silent, where the session says so', async () => {
    const clock = new ScriptedClock();
    await start({ clock });
    const client = await configured({ turn_detection: { type: 'server_vad', idle_timeout_ms: 6000 } });
    client.send({ type: 'response.create', response: { instructions: 'Say exactly: hello there, friend' } });
    await client.done();
    const playedMs = emulator.memory()[0]!.audioMs;
    clock.advance(playedMs + 5999);
    client.append(silentFrames(500));
    await until(() => expect(emulator.counters.audioMs).toBe(500));
    expect(client.of('input_audio_buffer.timeout_triggered')).toEqual([]);
    clock.advance(1);
    await client.done(2);
    const [timeout] = client.of('input_audio_buffer.timeout_triggered');
    expect(client.of('input_audio_buffer.committed')[0]!.item_id).toBe(timeout!.item_id);
    expect(timeout!.audio_end_ms).toBe(500);
  });

  it('keeps out-of-band responses out of the conversation', async () => {
    await start();
    const client = await configured();
    client.send({
      type: 'response.create',
      response: { conversation: 'none', instructions: 'Say exactly: aside', input: [] },
    });
    const response = await client.done();
    expect(response.conversation_id).toBeNull();
    expect(client.of('conversation.item.added')).toEqual([]);
    expect(emulator.memory()).toEqual([]);
  });

  it('holds the demo conversation by its instructions alone', async () => {
    const lines = demoLines.talks.map(syntheticPhrase);
    await start({ script: undefined, phrasebook: lines });
    const tool = { type: 'function', name: 'end_call', description: 'Ends the call after the goodbye.' };
    const client = await configured({}, { instructions: demoAgent.system_prompt, tools: [tool] });
    client.send({
      type: 'response.create',
      response: { instructions: `Say exactly: ${demoAgent.first_message}`, input: [] },
    });
    await client.done();
    for (const [index, line] of lines.entries()) {
      client.append(said(line));
      client.send({ type: 'input_audio_buffer.commit' });
      client.send({ type: 'response.create' });
      await client.done(index + 2);
    }
    const answers = client.of('response.output_audio_transcript.done').map(({ transcript }) => transcript);
    expect(answers[1]).toBe('Great. Which day suits you best?');
    expect(answers[2]).toContain('free parking');
    expect(answers[4]).toContain('Sam');
    expect(client.of('response.function_call_arguments.done').map(({ name }) => name)).toEqual(['end_call']);
  });
});

describe('failures on command', () => {
  it.each(['server_error', 'rate_limit_exceeded', 'insufficient_quota'] as const)(
    'fails a response with %s',
    async (code) => {
      await start();
      const client = await configured();
      emulator.faults.failNext = 1;
      emulator.faults.failCode = code;
      client.send({
        type: 'response.create',
        response: { instructions: 'Say exactly: hello there, friend' },
      });
      const response = await client.done();
      expect(response).toMatchObject({ status: 'failed', status_details: { error: { code } } });
    },
  );

  it('is commanded over HTTP where it is another process', async () => {
    await start();
    const control = (path: string, body?: object) =>
      fetch(`${emulator.url}/emulator/${path}`, { method: 'POST', body: body && JSON.stringify(body) });
    expect((await control('faults', { muteNext: 1 })).status).toBe(200);
    expect((await control('faults', { unknown: 1 })).status).toBe(400);
    expect((await control('nothing')).status).toBe(404);
    const mute = new SdkClient(emulator);
    await until(() => expect(emulator.counters.open).toBe(1));
    expect(mute.events).toEqual([]);
    await control('disconnect');
    await until(() => expect(mute.closed?.code).toBe(1006));
    const client = await new SdkClient(emulator).opened();
    await control('expire');
    await until(() => expect(client.closed?.code).toBe(1001));
    const counters = await fetch(`${emulator.url}/emulator/counters`);
    expect(await counters.json()).toMatchObject({ attempts: 2, sessions: 1 });
  });
});
