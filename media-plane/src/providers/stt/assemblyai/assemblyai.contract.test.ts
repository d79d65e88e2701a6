import { type AudioFormat, L16_16K, PCMU_8K } from '@voice/shared/audio/format';
import { startAssemblyAiEmulator } from '../../../../../loadtest/emulators/assemblyai/server.js';
import { describeSpeechToTextContract, type SpeechToTextHarness } from '../testing/contract.js';
import {
  createVendorHarness,
  EMULATED_VENDOR,
  QUICK_RETRIES,
  VENDOR_DELAYS,
} from '../testing/emulated-vendor.js';
import { createAssemblyAiSpeechToText } from './assemblyai.js';

async function makeHarness(format: AudioFormat): Promise<SpeechToTextHarness> {
  const emulator = await startAssemblyAiEmulator({ ...EMULATED_VENDOR, ...VENDOR_DELAYS });
  return createVendorHarness({
    stt: createAssemblyAiSpeechToText(QUICK_RETRIES),
    choice: { provider: 'assemblyai', model: '', params: {} },
    baseUrl: emulator.url,
    format,
    emulator,
  });
}

const abilities = { finalizes: false, isRemote: true };
describeSpeechToTextContract('assemblyai', () => makeHarness(PCMU_8K), abilities);
describeSpeechToTextContract('assemblyai at 16 kHz', () => makeHarness(L16_16K), abilities);
