import { type AudioFormat, L16_16K, PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import { startDeepgramEmulator } from '../../../../../loadtest/emulators/deepgram/server.js';
import { describeSpeechToTextContract, type SpeechToTextHarness } from '../testing/contract.js';
import {
  createVendorHarness,
  EMULATED_VENDOR,
  QUICK_RETRIES,
  VENDOR_DELAYS,
} from '../testing/emulated-vendor.js';
import { createDeepgramSpeechToText } from './deepgram.js';

async function makeHarness(model: string, format: AudioFormat): Promise<SpeechToTextHarness> {
  const emulator = await startDeepgramEmulator({
    ...EMULATED_VENDOR,
    delays: { ...VENDOR_DELAYS, speechStartedDelayMs: 5 },
  });
  return createVendorHarness({
    stt: createDeepgramSpeechToText(QUICK_RETRIES),
    choice: { provider: 'deepgram', model, params: {} },
    baseUrl: emulator.url,
    format,
    emulator,
  });
}

const nova = (format: AudioFormat) => () => makeHarness('nova-3', format);
const flux = (format: AudioFormat) => () => makeHarness('flux-general-en', format);
describeSpeechToTextContract('deepgram nova', nova(PCMU_8K), { finalizes: true, isRemote: true });
describeSpeechToTextContract('deepgram nova, A-law', nova(PCMA_8K), { finalizes: true, isRemote: true });
describeSpeechToTextContract('deepgram nova at 16 kHz', nova(L16_16K), { finalizes: true, isRemote: true });
describeSpeechToTextContract('deepgram flux', flux(PCMU_8K), { finalizes: false, isRemote: true });
describeSpeechToTextContract('deepgram flux at 16 kHz', flux(L16_16K), { finalizes: false, isRemote: true });
