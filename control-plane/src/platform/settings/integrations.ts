import { pair } from '@voice/shared/environment/environment';
import { httpBaseUrl, optionalText } from '@voice/shared/environment/parsers';

const optionalUrl = optionalText.pipe(httpBaseUrl.optional());

/** The part of the environment that is about integrations; read by `config.ts` with the rest. */
export const integrationVariables = {
  /** The OAuth apps under which tenants connect their accounts, and where vendors are instead of at home. */
  SLACK_CLIENT_ID: optionalText,
  SLACK_CLIENT_SECRET: optionalText,
  SLACK_URL: optionalUrl,
  HUBSPOT_CLIENT_ID: optionalText,
  HUBSPOT_CLIENT_SECRET: optionalText,
  HUBSPOT_URL: optionalUrl,
  SALESFORCE_CLIENT_ID: optionalText,
  SALESFORCE_CLIENT_SECRET: optionalText,
  SALESFORCE_URL: optionalUrl,
  GOOGLE_CLIENT_ID: optionalText,
  GOOGLE_CLIENT_SECRET: optionalText,
  GOOGLE_URL: optionalUrl,
  AIRTABLE_URL: optionalUrl,
  NOTION_URL: optionalUrl,
  CAL_COM_URL: optionalUrl,
  ZAPIER_URL: optionalUrl,
  MAKE_URL: optionalUrl,
};

const VENDORS = [
  'slack',
  'hubspot',
  'salesforce',
  'google',
  'airtable',
  'notion',
  'cal_com',
  'zapier',
  'make',
] as const;
export type Vendor = (typeof VENDORS)[number];

export interface OAuthClient {
  readonly id: string;
  readonly secret: string;
}

interface VendorSettings {
  /** Undefined: this installation has no app at the vendor. */
  readonly client?: OAuthClient;
  /** Replaces all hosts of the vendor; without a trailing slash. */
  readonly url?: string;
}
export type IntegrationSettings = Readonly<Record<Vendor, VendorSettings>>;

/** Gives the settings that parsed variables hold. Throws a `ConfigurationError` where one lacks its other. */
export function integrationSettings(
  vars: Readonly<Partial<Record<keyof typeof integrationVariables, string | undefined>>>,
): IntegrationSettings {
  const given: Readonly<Record<string, string | undefined>> = vars;
  const entries = VENDORS.map((vendor): [Vendor, VendorSettings] => {
    const prefix = vendor.toUpperCase();
    const [id, secret] = [`${prefix}_CLIENT_ID`, `${prefix}_CLIENT_SECRET`];
    const client = pair([id, given[id]], [secret, given[secret]]);
    const url = given[`${prefix}_URL`];
    return [
      vendor,
      {
        ...(client === undefined ? {} : { client: { id: client[0], secret: client[1] } }),
        ...(url === undefined ? {} : { url }),
      },
    ];
  });
  return Object.fromEntries(entries) as Record<Vendor, VendorSettings>;
}
