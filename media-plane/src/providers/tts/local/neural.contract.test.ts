import { PCMU_8K } from '@voice/shared/audio/format';
import { type LocalVoice, startLocalVoice } from '@voice/shared/local-voice/local-voice';
import { afterAll, beforeAll, describe } from 'vitest';
import { installedModels } from '../../../testing/installed-models.js';
import { describeTextToSpeechContract, type TextToSpeechHarness } from '../testing/contract.js';
import { createLocalTextToSpeech } from './local.js';

const { textToSpeech } = installedModels();
if (!textToSpeech) {
  console.warn('text to speech: local with a model: SKIPPED, no local voice is installed: npm run models');
}
/** A model of 60 MB on however busy a machine, in ms. */
const LOADED_WITHIN_MS = 240_000;

describe.skipIf(!textToSpeech)('the neural voice', () => {
  let localVoice: LocalVoice;
  beforeAll(async () => {
    // With its memory, as in calls: twenty calls that begin with the same greeting make it once.
    localVoice = startLocalVoice({ model: textToSpeech });
    await localVoice.ready();
    await localVoice.warm();
  }, LOADED_WITHIN_MS);
  afterAll(() => localVoice.close());

  async function makeHarness(): Promise<TextToSpeechHarness> {
    return {
      tts: createLocalTextToSpeech({ localVoice }),
      choice: { provider: 'local', model: '', params: { voice: textToSpeech?.name } },
      credentials: {},
      format: PCMU_8K,
      openConnections: () => 0,
      close: async () => {},
    };
  }

  describeTextToSpeechContract('local with a model', makeHarness);
});
