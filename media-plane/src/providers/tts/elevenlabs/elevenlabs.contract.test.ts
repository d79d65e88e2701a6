import { type AudioFormat, L16_16K, PCMU_8K } from '@voice/shared/audio/format';
import { startElevenLabsEmulator } from '../../../../../loadtest/emulators/elevenlabs/server.js';
import { describeTextToSpeechContract, type TextToSpeechHarness } from '../testing/contract.js';
import { createVendorHarness, VENDOR_PACE } from '../testing/emulated-vendor.js';
import { createElevenLabsTextToSpeech } from './elevenlabs.js';

async function makeHarness(format: AudioFormat): Promise<TextToSpeechHarness> {
  const emulator = await startElevenLabsEmulator({ apiKeys: ['good'], ...VENDOR_PACE });
  const harness = createVendorHarness({
    provider: 'elevenlabs',
    tts: createElevenLabsTextToSpeech(),
    format,
    emulator,
    speechFaults: emulator.faults,
    openConnections: () => emulator.counters.open,
  });
  return { ...harness, handshakes: () => emulator.counters.connections };
}

describeTextToSpeechContract('elevenlabs', () => makeHarness(PCMU_8K));
describeTextToSpeechContract('elevenlabs at 16 kHz', () => makeHarness(L16_16K));
// The vendor does not have it: it is converted.
describeTextToSpeechContract('elevenlabs at 48 kHz', () =>
  makeHarness({ encoding: 'l16', sampleRate: 48_000 }),
);
