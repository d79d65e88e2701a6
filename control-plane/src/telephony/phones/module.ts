import type { TenantId } from '@voice/shared/ids/ids';
import type { AgentsService } from '../../agents/service.js';
import type { CallBilling } from '../../calls/plan/call-billing.js';
import type { TenantsService } from '../../identity/tenants/service.js';
import type { UsersService } from '../../identity/users/service.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import type { Module, Platform } from '../../platform/module.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import type { Carriers } from '../carriers/carriers.js';
import { CodeQuota, codeQuotaModel } from '../verifications/code-quota.js';
import type { AllowedCountries } from '../verifications/destinations.js';
import { verificationModel } from '../verifications/model.js';
import { verificationRoutes } from '../verifications/routes.js';
import { type Caller, Verifications } from '../verifications/verifications.js';
import { Attestations } from './attestations.js';
import { phoneInternalRoutes } from './internal-routes.js';
import { phoneNumberModel } from './model.js';
import { NumberService } from './number-service.js';
import { plannedNumber } from './numbering-plan.js';
import { openNumbers } from './open-numbers.js';
import { phoneRoutes } from './routes.js';

/** Codes that go to one number in a day, for all tenants together: nobody is rung by many. */
const CODES_PER_DAY_AND_NUMBER = 10;

/** Phone numbers and how a tenant shows that one is its own. */
export function createPhonesModule({
  platform,
  carriers,
  agents,
  users,
  tenants,
  billing,
}: {
  readonly platform: Platform;
  readonly carriers: Carriers;
  readonly agents: AgentsService;
  readonly users: UsersService;
  readonly tenants: TenantsService;
  readonly billing: Pick<CallBilling, 'admit'>;
}): Module {
  const { store, clock, config } = platform;
  const log = platform.log.child({ module: 'phones' });
  const admitSpending = (scope: TenantScope) => billing.admit(scope);
  const numbers = new NumberService({
    numbers: phoneNumberModel(store),
    carriers,
    requireAgent: (tenant, agentId) => agents.get(tenant, agentId),
    admitSpending,
    publicUrl: () => platform.publicUrl(),
    clock,
    log,
  });
  const stampUser = async ({ tenant, userId }: Caller, number: string) =>
    users.stampVerified(tenant, userId ?? (await users.ownerOf(tenant)), number);
  /** Those that the configuration names, else the tenant's own country and those of its numbers. */
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
    secretsKey: config.secretsKey,
    stamp: async (caller, number, at) => ({
      phoneIds: await numbers.stampVerified(caller, number, at),
      user: !caller.sandbox && (await stampUser(caller, number)),
    }),
    clock,
    log,
  });
  const jobs = new Jobs({ store, jobs: [openNumbers(numbers)], log });
  return {
    name: 'phones',
    internalRoutes: phoneInternalRoutes(new Attestations(phoneNumberModel(store), log)),
    routes: [...phoneRoutes(numbers), ...verificationRoutes(verifications)],
    start: () => jobs.start(),
    stop: () => jobs.stop(),
  };
}
