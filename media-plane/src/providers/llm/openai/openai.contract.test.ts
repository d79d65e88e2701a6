import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { startOpenAiEmulator } from '../../../../../loadtest/emulators/openai/server.js';
import { type Certificate, selfSigned } from '../../../../../loadtest/emulators/serving/self-signed.js';
import { describeLanguageModelContract, type LanguageModelHarness } from '../testing/contract.js';
import { createVendorHarness, SCRIPTED_VENDOR } from '../testing/scripted-vendor.js';
import { createOpenAiLanguageModel } from './openai.js';

async function makeHarness(tls?: Certificate): Promise<LanguageModelHarness> {
  const emulator = await startOpenAiEmulator({ ...SCRIPTED_VENDOR, ...(tls ? { tls } : {}) });
  return createVendorHarness({
    model: createOpenAiLanguageModel({ egress: createAddressPolicy(['127.0.0.0/8']), ca: tls?.cert }),
    choice: { provider: 'openai', model: 'gpt-4.1-mini', params: {} },
    baseUrl: emulator.baseUrl,
    emulator,
  });
}

const certificate = selfSigned();

describeLanguageModelContract('openai', () => makeHarness());
describeLanguageModelContract('openai over HTTP/2', () => makeHarness(certificate));
