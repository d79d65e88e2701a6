import { type AudioFormat, L16_16K, PCMU_8K } from '@voice/shared/audio/format';
import { startLocalVoice } from '@voice/shared/local-voice/local-voice';
import { afterAll } from 'vitest';
import { describeTextToSpeechContract, type TextToSpeechHarness } from '../testing/contract.js';
import { createLocalTextToSpeech } from './local.js';

/** One process for all tests, as for all calls; without its memory, so that it works each time. */
const localVoice = startLocalVoice({ cacheBytes: 0 });
afterAll(() => localVoice.close());

async function makeHarness(format: AudioFormat): Promise<TextToSpeechHarness> {
  await localVoice.ready();
  return {
    tts: createLocalTextToSpeech({ localVoice }),
    choice: { provider: 'local', model: '', params: {} },
    credentials: {},
    format,
    openConnections: () => 0,
    close: async () => {},
  };
}

describeTextToSpeechContract('local', () => makeHarness(PCMU_8K));
describeTextToSpeechContract('local at 16 kHz', () => makeHarness(L16_16K));
