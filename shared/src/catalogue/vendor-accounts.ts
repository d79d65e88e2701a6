import type { z } from 'zod';
import { optionalText, optionalUrl, recordOf } from './environment.js';

/** How a vendor is reached. */
export interface VendorAccess {
  readonly apiKey?: string;
  /** Without one, the vendor's own address. */
  readonly url?: string;
  /** Where an agent names none, on a server of one's own (Ollama, vLLM …); undefined: the adapter's own default. */
  readonly model?: string;
}

/** Who is reached over the network, with the environment variables of the account. */
export const VENDORS = {
  deepgram: { apiKey: 'DEEPGRAM_API_KEY', url: 'DEEPGRAM_URL' },
  openai: { apiKey: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL', model: 'OPENAI_MODEL' },
  assemblyai: { apiKey: 'ASSEMBLYAI_API_KEY', url: 'ASSEMBLYAI_URL' },
  anthropic: { apiKey: 'ANTHROPIC_API_KEY', url: 'ANTHROPIC_URL' },
  cartesia: { apiKey: 'CARTESIA_API_KEY', url: 'CARTESIA_URL' },
  elevenlabs: { apiKey: 'ELEVENLABS_API_KEY', url: 'ELEVENLABS_URL' },
  gemini: { apiKey: 'GEMINI_API_KEY', url: 'GEMINI_URL' },
} as const satisfies Record<
  string,
  { readonly apiKey: string } & { readonly [F in keyof VendorAccess]?: string }
>;
export type Vendor = keyof typeof VENDORS;

export type VendorVariable = {
  [Name in Vendor]: (typeof VENDORS)[Name][keyof (typeof VENDORS)[Name]] & string;
}[Vendor];
export type VendorAccounts = Readonly<Record<Vendor, VendorAccess>>;

export const VENDOR_NAMES = Object.keys(VENDORS) as readonly Vendor[];

/** Field by field, with the variable that holds it. */
function fieldsOf(vendor: Vendor): [keyof VendorAccess, VendorVariable][] {
  return Object.entries(VENDORS[vendor]) as [keyof VendorAccess, VendorVariable][];
}

/** The variables of all vendors, as a part of an environment's schema. */
export const vendorVariables: Record<VendorVariable, z.ZodType<string | undefined>> = recordOf(
  VENDOR_NAMES.flatMap((vendor) =>
    fieldsOf(vendor).map(
      ([field, variable]) => [variable, field === 'url' ? optionalUrl : optionalText] as const,
    ),
  ),
);

/** Returns the accounts that the environment holds. */
export function vendorAccounts(
  environment: Readonly<Record<VendorVariable, string | undefined>>,
): VendorAccounts {
  return recordOf(
    VENDOR_NAMES.map((vendor) => {
      const fields = fieldsOf(vendor).map(([field, variable]) => [field, environment[variable]] as const);
      const access: VendorAccess = Object.fromEntries(fields);
      return [vendor, access] as const;
    }),
  );
}
