import { type AudioFormat, L16_16K, PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import { startDeepgramEmulator } from '../../../../../loadtest/emulators/deepgram/server.js';
import { describeTextToSpeechContract, type TextToSpeechHarness } from '../testing/contract.js';
import { createVendorHarness, VENDOR_PACE } from '../testing/emulated-vendor.js';
import { createDeepgramTextToSpeech } from './deepgram.js';

async function makeHarness(format: AudioFormat): Promise<TextToSpeechHarness> {
  const emulator = await startDeepgramEmulator({ apiKeys: ['good'], speech: VENDOR_PACE });
  return createVendorHarness({
    provider: 'deepgram',
    tts: createDeepgramTextToSpeech(),
    format,
    emulator,
    speechFaults: emulator.faults.speech,
    openConnections: () => emulator.counters.speech.open,
  });
}

describeTextToSpeechContract('deepgram aura', () => makeHarness(PCMU_8K));
describeTextToSpeechContract('deepgram aura, A-law', () => makeHarness(PCMA_8K));
describeTextToSpeechContract('deepgram aura at 16 kHz', () => makeHarness(L16_16K));
