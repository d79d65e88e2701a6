import { type AudioFormat, L16_16K, PCMU_8K } from '@voice/shared/audio/format';
import { startElevenLabsEmulator } from '../../../../../loadtest/emulators/elevenlabs/server.js';
import { describeTextToSpeechContract, type TextToSpeechHarness } from '../testing/contract.js';
import { createElevenLabsTextToSpeech } from './elevenlabs.js';

async function makeHarness(format: AudioFormat): Promise<TextToSpeechHarness> {
  const emulator = await startElevenLabsEmulator({
    apiKeys: ['good'],
    firstAudioDelayMs: 5,
    speed: 100,
    chunkMs: 200,
  });
  const afterSomeAudio = { afterAudioMs: 400 };
  return {
    tts: createElevenLabsTextToSpeech(),
    choice: { provider: 'elevenlabs', model: '', params: {} },
    credentials: { api_key: 'good', base_url: emulator.url },
    format,
    openConnections: () => emulator.counters.open,
    handshakes: () => emulator.counters.connections,
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

describeTextToSpeechContract('elevenlabs', () => makeHarness(PCMU_8K));
describeTextToSpeechContract('elevenlabs at 16 kHz', () => makeHarness(L16_16K));
// The vendor does not have it: it is converted.
describeTextToSpeechContract('elevenlabs at 48 kHz', () =>
  makeHarness({ encoding: 'l16', sampleRate: 48_000 }),
);
