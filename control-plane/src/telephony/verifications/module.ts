import type { TenantId } from '@voice/shared/ids/ids';
import type { TenantsService } from '../../identity/tenants/service.js';
import type { UsersService } from '../../identity/users/service.js';
import type { Module, Platform } from '../../platform/module.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import type { Carriers } from '../carriers/carriers.js';
import type { NumberService } from '../phones/number-service.js';
import { plannedNumber } from '../phones/numbering-plan.js';
import { CodeQuota, codeQuotaModel } from './code-quota.js';
import type { AllowedCountries } from './destinations.js';
import { verificationModel } from './model.js';
import { verificationRoutes } from './routes.js';
import { type Caller, Verifications } from './verifications.js';

/** Codes that go to one number in a day, for all tenants together: nobody is rung by many. */
const CODES_PER_DAY_AND_NUMBER = 10;

export interface VerificationsModuleOptions {
  readonly platform: Platform;
  readonly carriers: Carriers;
  readonly numbers: NumberService;
  readonly users: UsersService;
  readonly tenants: TenantsService;
  /** Throws 402 where the tenant may not spend (any more). */
  readonly admitSpending: (scope: TenantScope) => Promise<void>;
}

/** Wires the verification of phone numbers by a code. */
export function createVerificationsModule({
  platform,
  carriers,
  numbers,
  users,
  tenants,
  admitSpending,
}: VerificationsModuleOptions): Module {
  const { store, clock, config } = platform;
  const stampUser = async ({ tenant, userId }: Caller, number: string) =>
    users.stampVerified(tenant, userId ?? (await users.ownerOf(tenant)), number);
  /** Returns those that the configuration names, else the tenant's own country and those of its numbers. */
  const allowedCountries = async (tenant: TenantId): Promise<AllowedCountries> => {
    const { verificationCountries: named, verificationFrom: from } = config;
    if (named !== undefined) return named === 'all' ? named : new Set(named);
    const [own, countries] = await Promise.all([tenants.countryOf(tenant), numbers.countriesOf(tenant)]);
    const country = own ?? (from === undefined ? null : plannedNumber(from).country);
    return country === null ? countries : countries.add(country);
  };
  const verifications = new Verifications({
    verifications: verificationModel(store),
    carriers,
    admitSpending,
    quota: new CodeQuota({
      rows: codeQuotaModel(store),
      limits: { ...config.verificationsPerDay, number: CODES_PER_DAY_AND_NUMBER },
      clock,
    }),
    allowedCountries,
    from: config.verificationFrom,
    secretsKeys: config.secretsKeys,
    stamp: async (caller, number, at) => ({
      phoneIds: await numbers.stampVerified(caller, number, at),
      user: !caller.sandbox && (await stampUser(caller, number)),
    }),
    clock,
    log: platform.log.child({ module: 'verifications' }),
  });
  return { name: 'verifications', routes: verificationRoutes(verifications) };
}
