import type { AgentsService } from '../agents/service.js';
import type { Carriers } from '../carriers/carriers.js';
import type { Module, Platform } from '../http/module.js';
import { Jobs } from '../jobs/jobs.js';
import { openNumbers } from '../jobs/open-numbers.js';
import type { UsersService } from '../users/service.js';
import { verificationModel } from '../verifications/model.js';
import { verificationRoutes } from '../verifications/routes.js';
import { type Caller, Verifications } from '../verifications/verifications.js';
import { phoneNumberModel } from './model.js';
import { NumberService } from './number-service.js';
import { phoneRoutes } from './routes.js';

/** Phone numbers and how a tenant shows that one is its own. */
export function createPhonesModule({
  platform,
  carriers,
  agents,
  users,
}: {
  readonly platform: Platform;
  readonly carriers: Carriers;
  readonly agents: AgentsService;
  readonly users: UsersService;
}): Module {
  const { store, clock, config } = platform;
  const log = platform.log.child({ module: 'phones' });
  const numbers = new NumberService({
    numbers: phoneNumberModel(store),
    carriers,
    requireAgent: (tenant, agentId) => agents.get(tenant, agentId),
    publicUrl: () => platform.publicUrl(),
    clock,
    log,
  });
  const stampUser = async ({ tenant, userId }: Caller, number: string) =>
    users.stampVerified(tenant, userId ?? (await users.ownerOf(tenant)), number);
  const verifications = new Verifications({
    verifications: verificationModel(store),
    carriers,
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
    routes: [...phoneRoutes(numbers), ...verificationRoutes(verifications)],
    start: () => jobs.start(),
    stop: () => jobs.stop(),
  };
}
