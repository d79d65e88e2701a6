import { type AudioFormat, L16_16K, PCMU_8K } from '@voice/shared/audio/format';
import { startCartesiaEmulator } from '../../../../../loadtest/emulators/cartesia/server.js';
import { describeTextToSpeechContract, type TextToSpeechHarness } from '../testing/contract.js';
import { createVendorHarness, VENDOR_PACE } from '../testing/emulated-vendor.js';
import { createCartesiaTextToSpeech } from './cartesia.js';

async function makeHarness(format: AudioFormat): Promise<TextToSpeechHarness> {
  const emulator = await startCartesiaEmulator({ apiKeys: ['good'], ...VENDOR_PACE });
  return createVendorHarness({
    provider: 'cartesia',
    tts: createCartesiaTextToSpeech(),
    format,
    emulator,
    speechFaults: emulator.faults,
    openConnections: () => emulator.counters.open,
  });
}

describeTextToSpeechContract('cartesia', () => makeHarness(PCMU_8K));
describeTextToSpeechContract('cartesia at 16 kHz', () => makeHarness(L16_16K));
// The vendor does not have it: it is converted.
describeTextToSpeechContract('cartesia at 48 kHz', () =>
  makeHarness({ encoding: 'l16', sampleRate: 48_000 }),
);
