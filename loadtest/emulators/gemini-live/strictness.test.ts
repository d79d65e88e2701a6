import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { type GeminiLiveEmulator, startGeminiLiveEmulator } from './server.js';
import { connectClient } from './testing/test-client.js';

const MANUAL = { automaticActivityDetection: { disabled: true } };

let emulator: GeminiLiveEmulator;
const clients: WebSocket[] = [];

function connect(key?: string) {
  const client = connectClient(emulator.url, key);
  clients.push(client.socket);
  return client;
}

beforeEach(async () => {
  emulator = await startGeminiLiveEmulator({ apiKeys: ['good'] });
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.terminate();
  await emulator.close();
});

describe('Gemini Live emulator, strictness', () => {
  const audio = { data: 'AAAA', mimeType: 'audio/pcm;rate=16000' };
  const cases: [string, Record<string, unknown>, unknown, number, RegExp][] = [
    [
      'an unknown field',
      {},
      { realtimeInput: { sound: audio } },
      1007,
      /Unknown name "sound" at 'realtimeInput'/,
    ],
    ['two messages in one', {}, { realtimeInput: {}, clientContent: {} }, 1007, /invalid argument/],
    [
      'activity marks under automatic detection',
      {},
      { realtimeInput: { activityStart: {} } },
      1007,
      /Explicit activity control/,
    ],
    [
      'an end of activity without a start',
      { realtimeInputConfig: MANUAL },
      { realtimeInput: { activityEnd: {} } },
      1007,
      /./,
    ],
    [
      'audio of another type',
      {},
      { realtimeInput: { audio: { ...audio, mimeType: 'audio/basic' } } },
      1007,
      /audio\/basic/,
    ],
    ['a second set-up', {}, { setup: { model: 'models/gemini-3.8-live' } }, 1007, /./],
    [
      'a result of a call that was not made',
      {},
      { toolResponse: { functionResponses: [{ id: 'x', name: 'y', response: {} }] } },
      1008,
      /not found/,
    ],
    [
      'the end of the stream without automatic detection',
      { realtimeInputConfig: MANUAL },
      { realtimeInput: { audioStreamEnd: true } },
      1007,
      /./,
    ],
    [
      'a system turn',
      {},
      { clientContent: { turns: [{ role: 'system', parts: [{ text: 'x' }] }] } },
      1007,
      /role/,
    ],
  ];
  it.each(cases)('refuses %s', async (_name, setup, message, code, reason) => {
    const client = connect();
    await client.ready(setup);
    client.send(message);
    expect(await client.closed).toEqual({ code, reason: expect.stringMatching(reason) });
    expect(emulator.counters.violations).toBe(1);
  });

  const setups: [string, Record<string, unknown>, number, RegExp][] = [
    [
      'a model that is not there',
      { model: 'models/gemini-live-2.5-flash-preview' },
      1008,
      /is not found for API version/,
    ],
    [
      'thinking where the model has none',
      { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
      1007,
      /invalid/,
    ],
    ['a misspelt field', { system_prompt: 'x' }, 1007, /Unknown name "system_prompt" at 'setup'/],
    [
      'transparent resumption, which is for Vertex AI',
      { sessionResumption: { transparent: true } },
      1007,
      /transparent/,
    ],
    [
      'JSON Schema where OpenAPI is wanted',
      {
        tools: [
          {
            functionDeclarations: [
              { name: 'x', parameters: { type: 'object', additionalProperties: false } },
            ],
          },
        ],
      },
      1007,
      /Unknown name "additionalProperties"/,
    ],
  ];
  it.each(setups)('refuses %s', async (_name, setup, code, reason) => {
    const client = connect();
    await client.ready(setup);
    expect(await client.closed).toEqual({ code, reason: expect.stringMatching(reason) });
  });

  it('refuses a first message that is no set-up, a wrong key and no key', async () => {
    const hasty = connect();
    await once(hasty.socket, 'open');
    hasty.send({ realtimeInput: { audio } });
    expect(await hasty.closed).toMatchObject({ code: 1007 });
    const stranger = connect('bad');
    await stranger.ready();
    expect(await stranger.closed).toEqual({
      code: 1007,
      reason: 'API key not valid. Please pass a valid API key.',
    });
    const nobody = connect('');
    await nobody.ready();
    expect(await nobody.closed).toMatchObject({
      code: 1008,
      reason: expect.stringContaining('unregistered callers'),
    });
  });
});
