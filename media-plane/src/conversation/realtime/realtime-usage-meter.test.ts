import { callUsage } from '@voice/shared/contracts/call-events';
import { expect, it } from 'vitest';
import { RealtimeUsageMeter } from './realtime-usage-meter.js';

it('stays what the end of a call takes where a server counts what is no number of tokens', () => {
  const meter = new RealtimeUsageMeter();
  const counted = { cachedAudioTokens: 0, cachedTextTokens: 0, outputTextTokens: 0 };
  meter.add({ ...counted, inputAudioTokens: -5, inputTextTokens: Number.NaN, outputAudioTokens: 1.5 });
  meter.add({ ...counted, inputAudioTokens: 10, inputTextTokens: 1e308, outputAudioTokens: 3 });
  const source = { provider: 'openai', model: 'own', transcription: undefined };
  const usage: unknown = JSON.parse(JSON.stringify(meter.usage(source, 1000)));
  expect(callUsage.parse(usage)).toMatchObject({
    realtime: { input_audio_tokens: 10, output_audio_tokens: 5, audio_ms: 1000 },
  });
});
