import { type AudioFormat, L16_16K, PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import { startDeepgramEmulator } from '../../../../../loadtest/emulators/deepgram/server.js';
import { describeTextToSpeechContract, type TextToSpeechHarness } from '../testing/contract.js';
import { createDeepgramTextToSpeech } from './deepgram.js';

async function makeHarness(format: AudioFormat): Promise<TextToSpeechHarness> {
  const emulator = await startDeepgramEmulator({
    apiKeys: ['good'],
    speech: { firstAudioDelayMs: 5, speed: 100, chunkMs: 200 },
  });
  const { speech } = emulator.faults;
  const afterSomeAudio = { afterAudioMs: 400 };
  return {
    tts: createDeepgramTextToSpeech(),
    choice: { provider: 'deepgram', model: '', params: {} },
    credentials: { api_key: 'good', base_url: emulator.url },
    format,
    openConnections: () => emulator.counters.speech.open,
    faults: {
      badCredentials: { api_key: 'bad', base_url: emulator.url },
      dropNext: () => Object.assign(speech, { dropNext: 1, ...afterSomeAudio }),
      errorNext: () => Object.assign(speech, { errorNext: 1, ...afterSomeAudio }),
      stallNext: () => Object.assign(speech, { stallNext: 1 }),
      disconnect: () => emulator.dropConnections(),
      refuse: () => Object.assign(emulator.faults, { refuseNext: Number.POSITIVE_INFINITY }),
    },
    close: () => emulator.close(),
  };
}

describeTextToSpeechContract('deepgram aura', () => makeHarness(PCMU_8K));
describeTextToSpeechContract('deepgram aura, A-law', () => makeHarness(PCMA_8K));
describeTextToSpeechContract('deepgram aura at 16 kHz', () => makeHarness(L16_16K));
