import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { startAnthropicEmulator } from '../../../../../loadtest/emulators/anthropic/server.js';
import { type Certificate, selfSigned } from '../../../../../loadtest/emulators/serving/self-signed.js';
import { describeLanguageModelContract, type LanguageModelHarness } from '../testing/contract.js';
import { createVendorHarness, SCRIPTED_VENDOR } from '../testing/scripted-vendor.js';
import { createAnthropicLanguageModel } from './anthropic.js';

async function makeHarness(tls?: Certificate): Promise<LanguageModelHarness> {
  const emulator = await startAnthropicEmulator({ ...SCRIPTED_VENDOR, ...(tls ? { tls } : {}) });
  return createVendorHarness({
    model: createAnthropicLanguageModel({ egress: createAddressPolicy(['127.0.0.0/8']), ca: tls?.cert }),
    choice: { provider: 'anthropic', model: '', params: {} },
    baseUrl: emulator.url,
    emulator,
  });
}

const certificate = selfSigned();

describeLanguageModelContract('anthropic', () => makeHarness());
describeLanguageModelContract('anthropic over HTTP/2', () => makeHarness(certificate));
