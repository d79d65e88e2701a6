import { type CarrierAccounts, carrierAccounts, carrierVariables } from '@voice/shared/catalogue/carriers';
import {
  type VendorAccess,
  type VendorAccounts,
  vendorAccounts,
  vendorVariables,
} from '@voice/shared/catalogue/vendor-accounts';
import { e164 } from '@voice/shared/contracts/primitives';
import {
  ConfigurationError,
  type Environment,
  parseEnvironment,
} from '@voice/shared/environment/environment';
import {
  baseUrl,
  choice,
  host,
  list,
  logLevel,
  matching,
  mongodbUri,
  number,
  onOff,
  optionalText,
  port,
  secret,
  secretMatching,
  wholeNumber,
} from '@voice/shared/environment/parsers';
import { localModelSettings, localModelVariables } from '@voice/shared/local-models/environment';
import type { LocalModelSettings } from '@voice/shared/local-models/local-models';
import { type TracingSettings, tracingSettings, tracingVariables } from '@voice/shared/tracing/settings';
import { z } from 'zod';
import { RATES, type RateTable } from './platform/money/rates.js';
import { readRates } from './platform/money/rates-file.js';
import { oldKeys, type SecretsKeys } from './platform/secrets/secrets-keys.js';
import { type IceSettings, iceSettings, iceVariables } from './platform/settings/ice.js';
import {
  type IdentityProviderAccess,
  identityProviderSettings,
  identityProviderVariables,
} from './platform/settings/identity-provider.js';
import {
  type IntegrationSettings,
  integrationSettings,
  integrationVariables,
} from './platform/settings/integrations.js';
import { type S3Access, s3Settings, s3Variables } from './platform/settings/s3.js';
import { type StripeAccess, stripeSettings, stripeVariables } from './platform/settings/stripe.js';

const optionalBaseUrl = optionalText.pipe(baseUrl('http', 'https', 'ws', 'wss').optional());
const perDay = wholeNumber({ min: 1, max: 1_000_000 });
const perMinute = wholeNumber({ min: 1, max: 1_000_000 });

const listenHost = host.default('127.0.0.1');
/** Where PORT asks for no fixed port, a free one is taken for both. */
const INTERNAL_PORT_DEFAULT = 8082;

/** What a Telnyx media stream may carry: G.711 at 8,000 Hz, or linear PCM at 16,000 Hz. */
export const telnyxCodec = choice(['PCMU', 'PCMA', 'L16']);
export type TelnyxCodec = z.output<typeof telnyxCodec>;

/**
 * The variables that this process reads; `docs/configuration.md` is made from them.
 * @public
 */
export const environment = z.object({
  PORT: port.default(8080),
  /** Address on which the API listens: 0.0.0.0 for all of the machine's. */
  HOST: listenHost,
  /** Port of what is between the planes and of /metrics, which no proxy may publish. Default: INTERNAL_PORT_DEFAULT. */
  INTERNAL_PORT: port.optional(),
  /** Address on which that port listens; workers on other machines need a private one. */
  INTERNAL_HOST: listenHost,
  /** How workers reach that port. Default: from host and port. */
  INTERNAL_URL: optionalBaseUrl,
  /** How clients and carriers reach this service. Default: loopback at PORT. */
  PUBLIC_URL: optionalBaseUrl,
  MONGODB_URI: mongodbUri,
  DATA_DIR: z.string().min(1).default('./data'),
  /** Shared with the media workers; signs the requests between the planes. */
  INTERNAL_SECRET: secret(16),
  /** Encrypts credentials at rest and signs cursors and links. */
  SECRETS_KEY: secret(32, 'make one with openssl rand -hex 32'),
  /** Earlier ones: they open what they have sealed, until `npm run secrets -- rotate` has sealed it anew. */
  SECRETS_KEYS_OLD: oldKeys,
  ...carrierVariables,
  /** A number of the installation's own: verification codes come from it. */
  VERIFICATION_FROM_NUMBER: optionalText.pipe(e164.optional()),
  /** Countries that codes go to, by comma, or `*`. Default: each tenant's own and those of its numbers. */
  VERIFICATION_COUNTRIES: optionalText.pipe(
    z
      .string()
      .toUpperCase()
      .pipe(matching(/^(\*|[A-Z]{2}(\s*,\s*[A-Z]{2})*)$/, '* or countries such as US,CA'))
      .optional(),
  ),
  /** Codes that are sent in a day (UTC): for one tenant, and by the whole installation. */
  VERIFICATIONS_PER_DAY_TENANT: perDay.default(20),
  VERIFICATIONS_PER_DAY: perDay.default(500),
  ...iceVariables,
  ...vendorVariables,
  ...localModelVariables,
  RATE_LIMIT_DEFAULT: perMinute.default(60),
  RATE_LIMIT_SESSION: perMinute.default(600),
  RATE_LIMIT_DIAL: perMinute.default(10),
  RATE_LIMIT_CAMPAIGN_DISPATCH: perMinute.default(120),
  /** Verifies the identity provider's events. */
  CLERK_WEBHOOK_SECRET: optionalText.pipe(
    secretMatching(/^whsec_[A-Za-z0-9+/]+={0,2}$/, 'a secret that begins with whsec_').optional(),
  ),
  ...stripeVariables,
  /**
   * Whether production costs somebody: `required` refuses live calls, numbers and verifications of tenants without
   * payment method and credit. Default: `required` where there is a payment provider, else `off`.
   */
  BILLING: optionalText.pipe(choice(['off', 'required']).optional()),
  /** A JSON file of rates that differ from the list prices (`platform/money/rates-file.ts`). */
  RATES_FILE: optionalText,
  /** Credit that a new tenant gets; then production calls are refused once it is used up. */
  FREE_CREDIT_USD: number({ min: 0, max: 10_000 }).default(0),
  ...identityProviderVariables,
  /** Whether workers reach OpenAI through this service, without its key. */
  LLM_PROXY: onOff.prefault('off'),
  ...s3Variables,
  /** Days after which what is large of a call goes from the store to the bucket, or to DATA_DIR. Default: never. */
  ARCHIVE_CALLS_AFTER_DAYS: wholeNumber({ min: 1, max: 3650 }).optional(),
  /** Private ranges (CIDRs by comma) that tenants' URLs may lead to. */
  EGRESS_ALLOW: list.default([]),
  /** Before `Event`, `Event-Id` and `Signature` in the headers of webhook deliveries. */
  PRODUCT_HEADER_PREFIX: matching(
    /^[A-Za-z][A-Za-z0-9-]*-$/,
    'letters, digits and dashes that end in a dash, such as X-Service-',
  ).default('X-Service-'),
  /** Proxies in front whose X-Forwarded-For is believed: a count of hops, or addresses and CIDRs by comma. */
  TRUST_PROXY: optionalText,
  ...integrationVariables,
  ...tracingVariables,
  LOG_LEVEL: logLevel.default('info'),
});

/** `required`: production is for tenants with a payment method or credit. `off`: it is for everybody. */
export type BillingMode = 'off' | 'required';

export type { VendorAccess };

export interface Config {
  readonly port: number;
  readonly host: string;
  /** What is between the planes, and /metrics. */
  readonly internal: {
    readonly port: number;
    readonly host: string;
    /** Undefined: from host and the port that was really taken. Without a trailing slash. */
    readonly url?: string;
  };
  /** Undefined: loopback at the port that was really taken. Without a trailing slash. */
  readonly publicUrl?: string;
  readonly mongodbUri: string;
  readonly dataDir: string;
  readonly internalSecret: string;
  /** The current one, and those of before. */
  readonly secretsKeys: SecretsKeys;
  readonly carriers: CarrierAccounts;
  /** Where verification codes come from; undefined where none can be sent for real. */
  readonly verificationFrom?: string;
  /** Countries that verification codes go to; undefined: each tenant's own and those of its numbers. */
  readonly verificationCountries: readonly string[] | 'all' | undefined;
  /** Verification codes a day (UTC). */
  readonly verificationsPerDay: { readonly tenant: number; readonly installation: number };
  readonly vendors: VendorAccounts;
  /** Where local models are looked for, as the workers do. */
  readonly localModels: LocalModelSettings;
  /** STUN and TURN servers that WebRTC testers are given. */
  readonly ice: IceSettings;
  /** Requests a minute and tenant, by rate class. */
  readonly rateLimits: {
    readonly default: number;
    readonly session: number;
    readonly dial: number;
    readonly 'campaign-dispatch': number;
  };
  /** CIDR ranges that the egress guard lets through. */
  readonly egressAllow: readonly string[];
  /** Whether workers get the language model through this service, and not its key. */
  readonly llmProxy: boolean;
  /** Where recordings go; undefined: to `dataDir`. */
  readonly s3: S3Access | undefined;
  /** Days since the creation of a call; undefined: none is archived. */
  readonly archiveCallsAfterDays: number | undefined;
  readonly productHeaderPrefix: string;
  readonly clerkWebhookSecret?: string;
  /** Whose signed sessions are believed. */
  readonly identityProvider?: IdentityProviderAccess;
  /** Whether a tenant needs a payment method or credit for whatever costs. */
  readonly billing: BillingMode;
  /** What is charged: list prices, and the operator's own in place of them. */
  readonly rates: RateTable;
  /** Undefined: there is no payment provider. */
  readonly stripe: StripeAccess | undefined;
  /** 0: none, and no limit either. */
  readonly freeCreditUsd: number;
  readonly integrations: IntegrationSettings;
  readonly trustProxy: number | readonly string[];
  /** Where spans go; undefined: nothing is traced. */
  readonly tracing: TracingSettings | undefined;
  readonly logLevel: string;
}

function carriersOf(vars: z.output<typeof environment>): CarrierAccounts {
  try {
    return carrierAccounts(vars);
  } catch (error) {
    throw new ConfigurationError(error instanceof Error ? error.message : String(error));
  }
}

function countriesOf(text: string | undefined): readonly string[] | 'all' | undefined {
  if (text === undefined) return undefined;
  return text === '*' ? 'all' : text.split(',').map((country) => country.trim());
}

function trustedProxies(text: string | undefined): number | readonly string[] {
  if (text === undefined) return 0;
  return /^\d+$/.test(text) ? Number(text) : text.split(',').map((entry) => entry.trim());
}

function internalListener(vars: z.output<typeof environment>): Config['internal'] {
  const own = vars.INTERNAL_PORT ?? (vars.PORT === 0 ? 0 : INTERNAL_PORT_DEFAULT);
  if (own !== 0 && own === vars.PORT) {
    throw new ConfigurationError('INTERNAL_PORT: must not be PORT, which a proxy publishes; set another');
  }
  return { port: own, host: vars.INTERNAL_HOST, url: vars.INTERNAL_URL };
}

function ratesOf(path: string | undefined): RateTable {
  if (path === undefined) return RATES;
  try {
    return readRates(path);
  } catch (error) {
    throw new ConfigurationError(`RATES_FILE: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Reads the environment; throws a `ConfigurationError` that names every variable that is wrong. */
export function readConfig(env: Environment): Config {
  const vars = parseEnvironment(environment, env);
  return {
    port: vars.PORT,
    host: vars.HOST,
    internal: internalListener(vars),
    publicUrl: vars.PUBLIC_URL,
    mongodbUri: vars.MONGODB_URI,
    dataDir: vars.DATA_DIR,
    internalSecret: vars.INTERNAL_SECRET,
    secretsKeys: [vars.SECRETS_KEY, ...vars.SECRETS_KEYS_OLD],
    carriers: carriersOf(vars),
    verificationFrom: vars.VERIFICATION_FROM_NUMBER,
    verificationCountries: countriesOf(vars.VERIFICATION_COUNTRIES),
    verificationsPerDay: {
      tenant: vars.VERIFICATIONS_PER_DAY_TENANT,
      installation: vars.VERIFICATIONS_PER_DAY,
    },
    vendors: vendorAccounts(vars),
    localModels: localModelSettings(vars),
    ice: iceSettings(vars),
    rateLimits: {
      default: vars.RATE_LIMIT_DEFAULT,
      session: vars.RATE_LIMIT_SESSION,
      dial: vars.RATE_LIMIT_DIAL,
      'campaign-dispatch': vars.RATE_LIMIT_CAMPAIGN_DISPATCH,
    },
    llmProxy: vars.LLM_PROXY,
    s3: s3Settings(vars),
    archiveCallsAfterDays: vars.ARCHIVE_CALLS_AFTER_DAYS,
    egressAllow: vars.EGRESS_ALLOW,
    productHeaderPrefix: vars.PRODUCT_HEADER_PREFIX,
    identityProvider: identityProviderSettings(vars),
    clerkWebhookSecret: vars.CLERK_WEBHOOK_SECRET,
    rates: ratesOf(vars.RATES_FILE),
    billing: vars.BILLING ?? (vars.STRIPE_SECRET_KEY === undefined ? 'off' : 'required'),
    stripe: stripeSettings(vars),
    freeCreditUsd: vars.FREE_CREDIT_USD,
    integrations: integrationSettings(vars),
    trustProxy: trustedProxies(vars.TRUST_PROXY),
    tracing: tracingSettings(vars),
    logLevel: vars.LOG_LEVEL,
  };
}

/** This process's configuration. Nothing else reads `process.env`. */
export function configFromEnvironment(): Config {
  return readConfig(process.env);
}
