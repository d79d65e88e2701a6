import type { operations } from '../../../api/openapi.js';
import type { VendorKey } from '../../../api/types.js';

export type Vendor = operations['setVendorKey']['parameters']['path']['provider'];

/** Of all that the API takes keys of, or it does not compile. */
const NAMES: Readonly<Record<Vendor, string>> = {
  deepgram: 'Deepgram',
  openai: 'OpenAI',
  assemblyai: 'AssemblyAI',
  anthropic: 'Anthropic',
  cartesia: 'Cartesia',
  elevenlabs: 'ElevenLabs',
  gemini: 'Google Gemini',
};
export const VENDORS = Object.keys(NAMES) as [Vendor, ...Vendor[]];
const KINDS: Readonly<Record<string, string>> = {
  stt: 'recogniser',
  llm: 'model',
  tts: 'voice',
  realtime: 'speech to speech',
};

/** Whether the page knows the vendor. */
export function isVendor(provider: string | undefined): provider is Vendor {
  return provider !== undefined && Object.hasOwn(NAMES, provider);
}

/** A vendor's name as it writes itself. */
export function vendorName(provider: string): string {
  return isVendor(provider) ? NAMES[provider] : provider;
}

/** What the vendor does for agents, in words: "recogniser, voice". */
export function kindsOf({ kinds }: Pick<VendorKey, 'kinds'>): string {
  return kinds.map((kind) => KINDS[kind] ?? kind).join(', ');
}
