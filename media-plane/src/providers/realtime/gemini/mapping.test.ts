import { geminiLiveParams } from '@voice/shared/catalogue/params/gemini-live';
import { describe, expect, it } from 'vitest';
import { errorOfEnd } from './errors.js';
import { durationMs, parseServerMessage } from './messages.js';
import { traitsOf } from './models.js';
import { heardText } from './notes.js';
import { audioMessage, control, Outbox } from './outbox.js';
import { setupMessage } from './setup.js';
import { ToolCalls } from './tool-calls.js';
import { usageOf } from './usage.js';

const OPTIONS = { instructions: 'Be kind.', language: 'de-DE', turnDetection: 'provider' as const };

function setup(model: string, params: Record<string, unknown> = {}) {
  const message = setupMessage({
    model,
    traits: traitsOf(model),
    params: geminiLiveParams.parse(params),
    tools: [],
    withHistory: true,
    options: OPTIONS,
  });
  return message.setup as Record<string, Record<string, unknown>>;
}

describe('the set-up', () => {
  it('thinks as little as each model allows', () => {
    const thinking = (model: string) => setup(model).generationConfig!.thinkingConfig;
    expect(thinking('gemini-2.5-flash-native-audio-preview-12-2025')).toEqual({ thinkingBudget: 0 });
    expect(thinking('gemini-3.1-flash-live-preview')).toEqual({ thinkingLevel: 'MINIMAL' });
    expect(thinking('gemini-3.8-live')).toBeUndefined();
    expect(thinking('gemini-3.8-live-extended-thinking')).toEqual({ thinkingLevel: 'LOW' });
  });

  it('names the language and announces history only to models that take it', () => {
    expect(setup('gemini-3.8-live').generationConfig!.speechConfig).toEqual({ languageCode: 'de-DE' });
    expect(setup('gemini-3.8-live').historyConfig).toEqual({ initialHistoryInClientContent: true });
    const old = setup('gemini-2.5-flash-native-audio-preview-12-2025', { voice: 'Kore' });
    expect(old.generationConfig!.speechConfig).toEqual({
      voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } },
    });
    expect(old.historyConfig).toBeUndefined();
  });

  it('passes the detection’s settings on, which must not interrupt', () => {
    const params = { vad_start_sensitivity: 'low', vad_silence_ms: 300 };
    expect(setup('gemini-3.8-live', params).realtimeInputConfig).toEqual({
      automaticActivityDetection: {
        startOfSpeechSensitivity: 'START_SENSITIVITY_LOW',
        silenceDurationMs: 300,
      },
      activityHandling: 'NO_INTERRUPTION',
      turnCoverage: 'TURN_INCLUDES_ONLY_ACTIVITY',
    });
  });
});

describe('usage', () => {
  it('is counted by modality, the cached as part of the input', () => {
    const { usageMetadata } = parseServerMessage(
      JSON.stringify({
        usageMetadata: {
          promptTokenCount: 900,
          cachedContentTokenCount: 300,
          responseTokenCount: 130,
          thoughtsTokenCount: 20,
          totalTokenCount: 1050,
          promptTokensDetails: [
            { modality: 'TEXT', tokenCount: 600 },
            { modality: 'AUDIO', tokenCount: 300 },
          ],
          cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 100 }],
          responseTokensDetails: [{ modality: 'AUDIO', tokenCount: 125 }],
        },
      }),
    )!;
    expect(usageOf(usageMetadata!)).toEqual({
      inputAudioTokens: 300,
      inputTextTokens: 600,
      cachedAudioTokens: 100,
      cachedTextTokens: 200,
      outputAudioTokens: 125,
      outputTextTokens: 25,
    });
  });
});

describe('errors', () => {
  const end = (closeCode: number, reason: string) => errorOfEnd({ opened: true, closeCode, reason });
  it.each([
    [1007, 'API key not valid. Please pass a valid API key.', 'realtime_unauthorized', false],
    [1008, "Method doesn't allow unregistered callers (callers without", 'realtime_unauthorized', false],
    [1011, 'You exceeded your current quota, please check your plan', 'realtime_rate_limited', false],
    [1011, 'Resource has been exhausted', 'realtime_rate_limited', true],
    [
      1008,
      'Connection aborted because the client failed to close after receiving a GoAway',
      'realtime_disconnected',
      true,
    ],
    [1008, 'The operation was aborted.', 'realtime_disconnected', true],
    [1011, 'Deadline expired before operation could complete.', 'realtime_disconnected', true],
    [1008, 'models/x is not found for API version v1beta', 'realtime_bad_request', false],
    [1007, 'Request contains an invalid argument.', 'realtime_bad_request', false],
    [1011, 'Internal error encountered.', 'realtime_unavailable', true],
    [1000, '', 'realtime_disconnected', true],
  ])('%i "%s" is %s, retryable: %s', (code, reason, expected, retryable) => {
    expect(end(code, reason)).toMatchObject({ code: expected, retryable });
  });
});

describe('what was heard', () => {
  it('ends with the last whole word', () => {
    expect(heardText('We are open from nine.', 450, 1000)).toBe('We are');
    expect(heardText('We are open from nine.', 2000, 1000)).toBe('We are open from nine.');
    expect(heardText('We are open.', 0, 1000)).toBe('');
    expect(heardText('He said "no" to me', 1000, 1000)).toBe("He said 'no' to me");
  });
});

describe('messages', () => {
  it('reads durations', () => {
    expect(durationMs('50s')).toBe(50_000);
    expect(durationMs('0.5s')).toBe(500);
    expect(durationMs('soon')).toBe(0);
  });

  it('answers every call, with what is known of it', () => {
    const calls = new ToolCalls();
    calls.add([
      { id: 'a', name: 'book' },
      { id: 'b', name: 'find' },
    ]);
    expect(calls.settle('a', '{"ok":true}')).toBe(true);
    expect(calls.settle('c', 'x')).toBe(false);
    expect(calls.complete).toBe(false);
    expect(calls.take()).toEqual({
      toolResponse: {
        functionResponses: [
          { id: 'a', name: 'book', response: { output: { ok: true } } },
          { id: 'b', name: 'find', response: { output: expect.stringContaining('still running') } },
        ],
      },
    });
    expect(calls.waiting).toBe(false);
  });

  it('keeps only the latest audio, and every other message, while there is no connection', () => {
    const outbox = new Outbox();
    outbox.push(control({ first: 1 }));
    for (let ms = 0; ms < 30_000; ms += 20) outbox.push(audioMessage(new Uint8Array(640)));
    outbox.push(control({ last: 1 }));
    const messages = outbox.take();
    expect(messages.reduce((sum, message) => sum + message.audioMs, 0)).toBe(20_000);
    expect(messages[0]!.text).toBe('{"first":1}');
    expect(messages.at(-1)!.text).toBe('{"last":1}');
    expect(outbox.take()).toEqual([]);
  });
});
