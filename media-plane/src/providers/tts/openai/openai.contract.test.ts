import { type AudioFormat, L16_24K, PCMU_8K } from '@voice/shared/audio/format';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { startOpenAiSpeechEmulator } from '../../../../../loadtest/emulators/openai-speech/server.js';
import { describeTextToSpeechContract, type TextToSpeechHarness } from '../testing/contract.js';
import { VENDOR_PACE } from '../testing/emulated-vendor.js';
import { createOpenAiTextToSpeech } from './openai.js';

async function makeHarness(format: AudioFormat): Promise<TextToSpeechHarness> {
  const emulator = await startOpenAiSpeechEmulator({ apiKeys: ['good'], ...VENDOR_PACE });
  const tts = createOpenAiTextToSpeech({ egress: createAddressPolicy(['127.0.0.0/8']) });
  return {
    tts,
    choice: { provider: 'openai', model: '', params: {} },
    credentials: { api_key: 'good', base_url: emulator.baseUrl },
    format,
    // Connections are the process's, and kept for the next call.
    openConnections: () => emulator.counters.active,
    faults: {
      badCredentials: { api_key: 'bad', base_url: emulator.baseUrl },
      dropNext: () => Object.assign(emulator.faults, { dropNext: 1, afterAudioMs: 400 }),
      errorNext: () => Object.assign(emulator.faults, { errorNext: 1, afterAudioMs: 0 }),
      stallNext: () => Object.assign(emulator.faults, { stallNext: 1 }),
      disconnect: () => emulator.dropConnections(),
      refuse: () => Object.assign(emulator.faults, { failNext: Number.POSITIVE_INFINITY, failStatus: 503 }),
    },
    async close() {
      await tts.close();
      await emulator.close();
    },
  };
}

describeTextToSpeechContract('openai', () => makeHarness(PCMU_8K));
describeTextToSpeechContract('openai at 24 kHz', () => makeHarness(L16_24K));
