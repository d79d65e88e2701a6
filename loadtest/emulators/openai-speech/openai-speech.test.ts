import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenAiSpeechEmulator, startOpenAiSpeechEmulator } from './server.js';

const HEADERS = { authorization: 'Bearer key', 'content-type': 'application/json' };
const BODY = { model: 'gpt-4o-mini-tts', input: 'Good morning.', voice: 'alloy', response_format: 'pcm' };

describe('the OpenAI speech emulator', () => {
  let emulator: OpenAiSpeechEmulator;
  beforeAll(async () => {
    emulator = await startOpenAiSpeechEmulator({ apiKeys: ['key'], speed: 100 });
  });
  afterAll(() => emulator.close());

  const post = (body: unknown, headers: Record<string, string> = HEADERS, path = '/audio/speech') =>
    fetch(emulator.baseUrl + path, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('speaks as raw PCM at 24 kHz', async () => {
    const response = await post({ ...BODY, instructions: 'Speak kindly.', speed: 1.1 });
    expect(response.headers.get('content-type')).toBe('audio/pcm');
    const bytes = (await response.arrayBuffer()).byteLength;
    expect(bytes / 48_000).toBeCloseTo(BODY.input.length / 14, 1);
  });

  it.each<[string, Record<string, string>, string, number]>([
    ['no key', { 'content-type': 'application/json' }, '/audio/speech', 401],
    ['a wrong key', { ...HEADERS, authorization: 'Bearer wrong' }, '/audio/speech', 401],
    ['another path', HEADERS, '/speech', 404],
    ['a form', { ...HEADERS, 'content-type': 'multipart/form-data' }, '/audio/speech', 415],
  ])('refuses %s', async (_case, headers, path, status) => {
    expect((await post(BODY, headers, path)).status).toBe(status);
  });

  it.each([
    ['what is not JSON', 'hello'],
    ['no text', { ...BODY, input: '' }],
    ['a text of more than 4096 characters', { ...BODY, input: 'a'.repeat(4097) }],
    ['another model', { ...BODY, model: 'gpt-4o' }],
    ['another voice', { ...BODY, voice: 'bob' }],
    ['a packed format', { ...BODY, response_format: 'mp3' }],
    ['a speed out of range', { ...BODY, speed: 9 }],
    ['instructions for a model without', { ...BODY, model: 'tts-1', instructions: 'Kindly.' }],
    ['a field that there is not', { ...BODY, language: 'en' }],
  ])('refuses %s', async (_case, body) => {
    expect((await post(body)).status).toBe(400);
  });

  it('fails on command as the service does', async () => {
    Object.assign(emulator.faults, { failNext: 1, failStatus: 429, retryAfterSeconds: 3 });
    const limited = await post(BODY);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '3']);
    emulator.faults.errorNext = 1;
    expect((await post(BODY)).status).toBe(500);
    Object.assign(emulator.faults, { dropNext: 1, afterAudioMs: 300 });
    await expect(post(BODY).then((response) => response.arrayBuffer())).rejects.toThrow();
  });
});
