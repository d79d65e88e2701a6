import { type AudioFormat, L16_24K, PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { startOpenAiTranscriptionEmulator } from '../../../../../loadtest/emulators/openai-transcription/server.js';
import { describeSpeechToTextContract, type SpeechToTextHarness } from '../testing/contract.js';
import {
  createVendorHarness,
  EMULATED_VENDOR,
  QUICK_RETRIES,
  VENDOR_DELAYS,
} from '../testing/emulated-vendor.js';
import { createOpenAiSpeechToText } from './openai.js';

async function makeHarness(format: AudioFormat): Promise<SpeechToTextHarness> {
  const emulator = await startOpenAiTranscriptionEmulator({ ...EMULATED_VENDOR, ...VENDOR_DELAYS });
  return createVendorHarness({
    stt: createOpenAiSpeechToText({ egress: createAddressPolicy([]), ...QUICK_RETRIES }),
    choice: { provider: 'openai', model: '', params: {} },
    baseUrl: emulator.baseUrl,
    format,
    emulator,
  });
}

const abilities = { finalizes: true, isRemote: true };
describeSpeechToTextContract('openai', () => makeHarness(PCMU_8K), abilities);
describeSpeechToTextContract('openai, A-law', () => makeHarness(PCMA_8K), abilities);
describeSpeechToTextContract('openai at 24 kHz', () => makeHarness(L16_24K), abilities);
