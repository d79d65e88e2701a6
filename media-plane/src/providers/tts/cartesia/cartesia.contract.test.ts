import { type AudioFormat, L16_16K, PCMU_8K } from '@voice/shared/audio/format';
import { startCartesiaEmulator } from '../../../../../loadtest/emulators/cartesia/server.js';
import { describeTextToSpeechContract, type TextToSpeechHarness } from '../testing/contract.js';
import { createCartesiaTextToSpeech } from './cartesia.js';

async function makeHarness(format: AudioFormat): Promise<TextToSpeechHarness> {
  const emulator = await startCartesiaEmulator({
    apiKeys: ['good'],
    firstAudioDelayMs: 5,
    speed: 100,
    chunkMs: 200,
  });
  const afterSomeAudio = { afterAudioMs: 400 };
  return {
    tts: createCartesiaTextToSpeech(),
    choice: { provider: 'cartesia', model: '', params: {} },
    credentials: { api_key: 'good', base_url: emulator.url },
    format,
    openConnections: () => emulator.counters.open,
    faults: {
      badCredentials: { api_key: 'bad', base_url: emulator.url },
      dropNext: () => Object.assign(emulator.faults, { dropNext: 1, ...afterSomeAudio }),
      errorNext: () => Object.assign(emulator.faults, { errorNext: 1, ...afterSomeAudio }),
      stallNext: () => Object.assign(emulator.faults, { stallNext: 1 }),
      disconnect: () => emulator.dropConnections(),
      refuse: () => Object.assign(emulator.faults, { refuseNext: Number.POSITIVE_INFINITY }),
    },
    close: () => emulator.close(),
  };
}

describeTextToSpeechContract('cartesia', () => makeHarness(PCMU_8K));
describeTextToSpeechContract('cartesia at 16 kHz', () => makeHarness(L16_16K));
// The vendor does not have it: it is converted.
describeTextToSpeechContract('cartesia at 48 kHz', () =>
  makeHarness({ encoding: 'l16', sampleRate: 48_000 }),
);
