import type { ProviderName } from '@voice/shared/catalogue/providers';
import type { VendorAccess } from '../../config.js';
import type { VendorHttp } from '../../platform/vendor-http.js';
import { askVendor, vendorBase } from '../vendor-api.js';
import { localVoices } from './local-voices.js';
import type { SdkVendor } from './sdk/messages.js';
import type { SdkCatalogues } from './sdk/sdk-catalogues.js';
import { cartesiaVoices, openAiVoices, VOICES_BY_SDK } from './vendor-voices.js';
import type { Voice } from './voice.js';

export type VoiceProvider = ProviderName<'tts'>;

/** What lists of voices are read with. */
export interface VoiceListOptions {
  readonly http: Pick<VendorHttp, 'send'>;
  /** The catalogues that are read by their vendors' SDKs. */
  readonly sdks: Pick<SdkCatalogues, 'read'>;
  /** The name of the neural voice of this machine; null without one. */
  readonly neuralVoice: () => string | null;
}

/** Where a provider's voices are known from: its vendor says which an account has, or they are the same for all. */
type VoiceList =
  | { readonly read: (options: VoiceListOptions, account: VendorAccess) => Promise<Voice[]> }
  | { readonly known: (options: VoiceListOptions) => readonly Voice[] };

/** The list of each voice provider of the catalogue. */
export const VOICE_LISTS: Readonly<Record<VoiceProvider, VoiceList>> = {
  elevenlabs: { read: bySdk('elevenlabs') },
  cartesia: {
    read: ({ http }, account) =>
      cartesiaVoices((path, query) => askVendor(http, 'cartesia', account, path, query)),
  },
  deepgram: { read: bySdk('deepgram') },
  // There is no request for them.
  openai: { known: openAiVoices },
  local: { known: ({ neuralVoice }) => localVoices(neuralVoice()) },
};

function bySdk(vendor: SdkVendor) {
  return async ({ sdks }: VoiceListOptions, account: VendorAccess): Promise<Voice[]> => {
    const base = vendorBase(vendor, account);
    const pages = await sdks.read({ vendor, base, apiKey: account.apiKey ?? '' });
    return pages.flatMap(VOICES_BY_SDK[vendor]);
  };
}
