import { decodeMulaw } from '@voice/shared/audio/g711';
import { resample } from '@voice/shared/audio/resample';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { syntheticPhrase } from '../recognition/synthetic-phrase.js';
import type { ServerMessage } from './answering.js';
import type { GeminiLiveEmulatorOptions } from './options.js';
import { type GeminiLiveEmulator, startGeminiLiveEmulator } from './server.js';
import { connectClient } from './testing/test-client.js';

const PHRASE = syntheticPhrase('What are your opening hours?');
const INSTRUCTION = { parts: [{ text: 'You are a receptionist.\n- We are open from nine to five.' }] };
const MANUAL = { automaticActivityDetection: { disabled: true } };

/** A whole phrase of the caller in one message. */
const SPEECH = {
  data: Buffer.from(resample(decodeMulaw(PHRASE.audio), 8000, 16_000).buffer).toString('base64'),
  mimeType: 'audio/pcm;rate=16000',
};

let emulator: GeminiLiveEmulator;
const clients: WebSocket[] = [];

async function start(options: GeminiLiveEmulatorOptions = {}): Promise<void> {
  emulator = await startGeminiLiveEmulator({
    phrasebook: [PHRASE],
    delays: { firstAudioDelayMs: 1, transcriptionDelayMs: 0 },
    speed: 1000,
    playSpeed: 1000,
    apiKeys: ['good'],
    ...options,
  });
}

function connect(key?: string) {
  const client = connectClient(emulator.url, key);
  clients.push(client.socket);
  return client;
}

function transcriptOf(messages: readonly ServerMessage[]): string {
  return messages.map((message) => message.serverContent?.outputTranscription?.text ?? '').join('');
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.terminate();
  await emulator.close();
});

describe('Gemini Live emulator', () => {
  it('understands a turn between activity marks, answers in audio and text, and reports usage', async () => {
    await start();
    const client = connect();
    await client.ready({
      systemInstruction: INSTRUCTION,
      realtimeInputConfig: MANUAL,
      inputAudioTranscription: {},
      outputAudioTranscription: {},
      sessionResumption: {},
    });
    client.send({ realtimeInput: { activityStart: {} } });
    client.send({ realtimeInput: { audio: SPEECH } });
    client.send({ realtimeInput: { activityEnd: {} } });
    const last = await client.until((message) => message.serverContent?.turnComplete === true);
    expect(client.frames.every(Boolean)).toBe(true);
    expect(transcriptOf(client.messages)).toContain('nine to five');
    const heard = client.messages.map((message) => message.serverContent?.inputTranscription?.text ?? '');
    expect(heard.join('').trim()).toBe('What are your opening hours?');
    const part = client.messages.find((message) => message.serverContent?.modelTurn)?.serverContent?.modelTurn
      ?.parts[0];
    expect(part?.inlineData.mimeType).toBe('audio/pcm;rate=24000');
    expect(last.usageMetadata?.responseTokensDetails[0]?.modality).toBe('AUDIO');
    expect(last.usageMetadata?.responseTokenCount).toBeGreaterThan(0);
    await client.until((message) => message.sessionResumptionUpdate?.resumable === true);
  });

  it('finds the turn by itself under automatic detection', async () => {
    await start();
    const client = connect();
    await client.ready({ systemInstruction: INSTRUCTION, outputAudioTranscription: {} });
    client.send({ realtimeInput: { audio: SPEECH } });
    const silence = Buffer.alloc(16_000 * 2).toString('base64');
    client.send({ realtimeInput: { audio: { data: silence, mimeType: 'audio/pcm;rate=16000' } } });
    await client.until((message) => message.serverContent?.generationComplete === true);
    expect(transcriptOf(client.messages)).toContain('nine to five');
  });

  it('says exactly the words that it is asked to say', async () => {
    await start();
    const client = connect();
    await client.ready({ systemInstruction: INSTRUCTION, outputAudioTranscription: {} });
    const text = 'Say exactly this and nothing else: "This call is recorded."';
    client.send({ clientContent: { turns: [{ role: 'user', parts: [{ text }] }], turnComplete: true } });
    await client.until((message) => message.serverContent?.generationComplete === true);
    expect(transcriptOf(client.messages)).toBe('This call is recorded.');
  });

  it('is interrupted by the start of activity: interrupted, then turnComplete, no generationComplete', async () => {
    await start({ speed: 1 });
    const client = connect();
    await client.ready({ systemInstruction: INSTRUCTION, realtimeInputConfig: MANUAL });
    client.send({
      clientContent: { turns: [{ role: 'user', parts: [{ text: 'Hello?' }] }], turnComplete: true },
    });
    await client.until((message) => message.serverContent?.modelTurn !== undefined);
    client.send({ realtimeInput: { activityStart: {} } });
    await client.until((message) => message.serverContent?.turnComplete === true);
    const flags = client.messages.flatMap((message) => Object.keys(message.serverContent ?? {}));
    expect(flags.slice(-2)).toEqual(['interrupted', 'turnComplete']);
    expect(flags).not.toContain('generationComplete');
  });

  it('calls a tool, waits for its result, and cancels the call when new input comes', async () => {
    await start({
      script: [
        {
          whenUserSays: /book/,
          say: 'One moment.',
          toolCalls: [{ name: 'book', arguments: { day: 'Monday' } }],
        },
        { afterTool: 'book', say: 'It is booked.' },
      ],
    });
    const tools = [{ functionDeclarations: [{ name: 'book', parametersJsonSchema: { type: 'object' } }] }];
    const ask = {
      clientContent: { turns: [{ role: 'user', parts: [{ text: 'Please book.' }] }], turnComplete: true },
    };
    const client = connect();
    await client.ready({ systemInstruction: INSTRUCTION, tools, outputAudioTranscription: {} });
    client.send(ask);
    const { toolCall } = await client.until((message) => message.toolCall !== undefined);
    const call = toolCall!.functionCalls[0]!;
    expect(call).toMatchObject({ name: 'book', args: { day: 'Monday' } });
    client.send({
      toolResponse: { functionResponses: [{ id: call.id, name: 'book', response: { output: 'ok' } }] },
    });
    await client.until((message) => message.serverContent?.generationComplete === true);
    expect(transcriptOf(client.messages)).toBe('One moment.It is booked.');

    const other = connect();
    await other.ready({ tools });
    other.send(ask);
    const pending = await other.until((message) => message.toolCall !== undefined);
    other.send({ clientContent: { turns: [{ role: 'user', parts: [{ text: 'Wait.' }] }] } });
    const cancelled = await other.until((message) => message.toolCallCancellation !== undefined);
    const { id } = pending.toolCall!.functionCalls[0]!;
    expect(cancelled.toolCallCancellation?.ids).toEqual([id]);
    other.send({ toolResponse: { functionResponses: [{ id, name: 'book', response: {} }] } });
    expect(await other.closed).toEqual({ code: 1008, reason: 'Requested entity was not found.' });
  });

  it('takes up a session by its handle, and refuses a handle that it does not know', async () => {
    await start();
    const client = connect();
    await client.ready({ systemInstruction: INSTRUCTION, sessionResumption: {} });
    client.send({ clientContent: { turns: [{ role: 'model', parts: [{ text: 'Hello.' }] }] } });
    const { sessionResumptionUpdate } = await client.until(
      (message) => message.sessionResumptionUpdate?.newHandle !== undefined,
    );
    const again = connect();
    await again.ready({ sessionResumption: { handle: sessionResumptionUpdate!.newHandle } });
    expect(emulator.counters.resumed).toBe(1);
    const unknown = connect();
    await unknown.ready({ sessionResumption: { handle: 'nonsense' } });
    expect(await unknown.closed).toMatchObject({ code: 1007 });
  });

  it('announces the end of a connection, and aborts it when the client stays', async () => {
    await start({ connectionLifeMs: 60, goAwayLeadMs: 40 });
    const client = connect();
    await client.ready({ systemInstruction: INSTRUCTION });
    const { goAway } = await client.until((message) => message.goAway !== undefined);
    expect(goAway).toEqual({ timeLeft: '0.04s' });
    expect(await client.closed).toMatchObject({ code: 1008, reason: expect.stringContaining('GoAway') });
  });
});
