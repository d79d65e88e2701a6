import { z } from 'zod';
import { expected, url } from '../environment/parsers.js';
import type { CarrierEntry, CarrierPrices } from './carrier-entry.js';
import { CARRIER_RATES } from './carrier-rates.js';
import { optionalText, recordOf } from './environment.js';
import { PLIVO_RATES } from './plivo-rates.js';

const address = url('http', 'https', 'ws', 'wss');

/** What Telnyx's media streams may carry: G.711 at 8,000 Hz, or linear PCM at 16,000 Hz. */
export const telnyxCodec = z.enum(['PCMU', 'PCMA', 'L16'], { error: expected('PCMU, PCMA or L16') });
export type TelnyxCodec = z.output<typeof telnyxCodec>;

/** An account that is reached by Twilio's REST API. */
const twilioAccount = z.object({
  accountSid: z.string(),
  authToken: z.string(),
  /** Without one, the vendor's own address. */
  apiUrl: address.optional(),
});

const telnyxAccount = z.object({
  apiKey: z.string(),
  /** Base64 of the Ed25519 key that signs its webhooks. */
  publicKey: z.string().regex(/^[A-Za-z0-9+/]{43}=$/, { error: expected('the base64 of 32 bytes') }),
  /** The Call Control application whose webhooks come to PUBLIC_URL/internal/carriers/telnyx/events. */
  connectionId: z.string(),
  apiUrl: address.optional(),
  /** Of the media streams: the phone network's mu-law or A-law, or linear PCM at 16,000 Hz. */
  codec: telnyxCodec.default('PCMU'),
});

const plivoAccount = z.object({
  authId: z.string(),
  /** Signs its callbacks, too. */
  authToken: z.string(),
  /** The application of our numbers: it answers at PUBLIC_URL/internal/carriers/plivo/inbound, and hangs up at …/status. */
  appId: z.string(),
  apiUrl: address.optional(),
});

/**
 * The carriers that there are adapters for on both planes; the first is the default. Configuration, the numbers' and
 * calls' `provider`, prices and the workers' media streams are made from it.
 */
export const CARRIERS = {
  twilio: {
    label: 'Twilio',
    mode: 'production',
    protocol: 'twilio',
    account: twilioAccount,
    variables: {
      accountSid: 'TWILIO_ACCOUNT_SID',
      authToken: 'TWILIO_AUTH_TOKEN',
      apiUrl: 'TWILIO_API_URL',
    },
    begunBy: ['accountSid', 'authToken'],
    capabilities: {
      repeatableCommands: false,
      machineDetection: true,
      ownPrice: 'request',
      codes: ['sms', 'voice'],
      codecs: ['PCMU'],
    },
    prices: {
      asOf: '2026-06',
      source: 'https://www.twilio.com/en-us/voice/pricing',
      rates: CARRIER_RATES.twilio,
    },
  },
  telnyx: {
    label: 'Telnyx',
    mode: 'production',
    protocol: 'telnyx',
    account: telnyxAccount,
    variables: {
      apiKey: 'TELNYX_API_KEY',
      publicKey: 'TELNYX_PUBLIC_KEY',
      connectionId: 'TELNYX_CONNECTION_ID',
      apiUrl: 'TELNYX_API_URL',
      codec: 'TELNYX_CODEC',
    },
    begunBy: ['apiKey'],
    capabilities: {
      repeatableCommands: true,
      machineDetection: true,
      ownPrice: 'callback',
      codes: ['sms', 'voice'],
      codecs: ['PCMU', 'PCMA', 'L16'],
    },
    prices: { asOf: '2026-06', source: 'https://telnyx.com/pricing', rates: CARRIER_RATES.telnyx },
  },
  plivo: {
    label: 'Plivo',
    mode: 'production',
    protocol: 'plivo',
    account: plivoAccount,
    variables: {
      authId: 'PLIVO_AUTH_ID',
      authToken: 'PLIVO_AUTH_TOKEN',
      appId: 'PLIVO_APP_ID',
      apiUrl: 'PLIVO_API_URL',
    },
    begunBy: ['authId', 'authToken'],
    capabilities: {
      repeatableCommands: false,
      machineDetection: true,
      ownPrice: 'callback',
      codes: ['sms'],
      codecs: ['PCMU'],
    },
    prices: {
      asOf: '2021-02',
      source: 'https://www.plivo.com/docs/account/api/origin-based-pricing/',
      rates: PLIVO_RATES,
    },
  },
  /** A server of our own that speaks Twilio's protocols and rings simulated people. */
  simulated: {
    label: 'the simulated carrier',
    mode: 'sandbox',
    protocol: 'twilio',
    account: twilioAccount.extend({ apiUrl: address }),
    variables: {
      accountSid: 'SIMULATED_CARRIER_ACCOUNT_SID',
      apiUrl: 'SIMULATED_CARRIER_URL',
      authToken: 'SIMULATED_CARRIER_AUTH_TOKEN',
    },
    begunBy: ['accountSid', 'authToken'],
    capabilities: {
      repeatableCommands: false,
      machineDetection: true,
      ownPrice: 'request',
      codes: ['sms', 'voice'],
      codecs: ['PCMU'],
    },
    prices: null,
  },
} as const satisfies Record<string, CarrierEntry>;

export type CarrierName = keyof typeof CARRIERS;
export type CarrierProtocol = (typeof CARRIERS)[CarrierName]['protocol'];
/** The account of a carrier, as its adapter takes it. */
export type CarrierAccount<Name extends CarrierName> = z.output<(typeof CARRIERS)[Name]['account']>;
export type CarrierAccounts = { readonly [Name in CarrierName]?: CarrierAccount<Name> | undefined };

export const CARRIER_NAMES = Object.keys(CARRIERS) as readonly CarrierName[];
/** Those that call people; the others are for sandbox keys alone. */
export const PRODUCTION_CARRIERS = CARRIER_NAMES.filter((name) => CARRIERS[name].mode === 'production');
export const DEFAULT_CARRIER: CarrierName = CARRIER_NAMES[0]!;
export const CARRIER_PROTOCOLS: readonly CarrierProtocol[] = [
  ...new Set(CARRIER_NAMES.map((name) => CARRIERS[name].protocol)),
];

/** The list prices of the carriers that have one. */
export const CARRIER_PRICES: Readonly<Partial<Record<CarrierName, CarrierPrices>>> = Object.fromEntries(
  CARRIER_NAMES.flatMap((name) => {
    const { prices }: CarrierEntry = CARRIERS[name];
    return prices === null ? [] : [[name, prices]];
  }),
);

export type CarrierVariable = {
  [Name in CarrierName]: (typeof CARRIERS)[Name]['variables'][keyof (typeof CARRIERS)[Name]['variables']] &
    string;
}[CarrierName];

/** The variables of all carriers' accounts, as a part of an environment's schema. */
export const carrierVariables: Record<CarrierVariable, z.ZodType<string | undefined>> = recordOf(
  Object.values<CarrierEntry>(CARRIERS).flatMap(({ account, variables }) =>
    Object.entries(variables).map(([field, variable]) => {
      const schema = account.shape[field] as z.ZodType<string | undefined, string | undefined>;
      return [variable as CarrierVariable, optionalText.pipe(schema.optional())] as const;
    }),
  ),
);

/**
 * Returns the accounts that the environment holds.
 * @throws Error naming the variable that an account lacks
 */
export function carrierAccounts(
  environment: Readonly<Record<CarrierVariable, string | undefined>>,
): CarrierAccounts {
  const accounts = CARRIER_NAMES.map((name) => [name, accountOf(CARRIERS[name], environment)]);
  return Object.fromEntries(accounts) as CarrierAccounts;
}

function accountOf(
  { account, variables, begunBy }: CarrierEntry,
  environment: Readonly<Record<string, string | undefined>>,
): unknown {
  const given = Object.fromEntries(
    Object.entries(variables).flatMap(([field, variable]) => {
      const value = environment[variable];
      return value === undefined ? [] : [[field, value]];
    }),
  );
  const begun = begunBy.find((field) => given[field] !== undefined);
  if (begun === undefined) return undefined;
  for (const [field, variable] of Object.entries(variables)) {
    const isNeeded = given[field] === undefined && !account.shape[field]!.safeParse(undefined).success;
    if (isNeeded) throw new Error(`${variable} is missing beside ${variables[begun]}`);
  }
  return account.parse(given);
}
