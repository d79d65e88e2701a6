import { startLocalVoice } from '@voice/shared/local-voice/local-voice';
import { afterAll } from 'vitest';
import { describeTextToSpeechContract, type TextToSpeechHarness } from '../contract.js';
import { createLocalTextToSpeech } from './local.js';

/** One process for all tests, as for all calls; without its memory, so that it works each time. */
const localVoice = startLocalVoice({ cacheBytes: 0 });
afterAll(() => localVoice.close());

async function makeHarness(): Promise<TextToSpeechHarness> {
  await localVoice.ready();
  return {
    tts: createLocalTextToSpeech({ localVoice }),
    choice: { provider: 'local', model: '', params: {} },
    credentials: {},
    openConnections: () => 0,
    close: async () => {},
  };
}

describeTextToSpeechContract('local', makeHarness);
