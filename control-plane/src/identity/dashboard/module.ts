import type { TenantSessions } from '../../platform/http/authentication.js';
import type { Module, Platform } from '../../platform/module.js';
import type { TenantsService } from '../tenants/service.js';
import type { UsersService } from '../users/service.js';
import { IdentityTokens } from './identity-token.js';
import { LoginLinks } from './login-links.js';
import { loginLinkRoutes, sessionRoutes } from './routes.js';
import { SessionCookies } from './session-cookie.js';
import { Sessions } from './sessions.js';
import { tenantSessions } from './tenant-sessions.js';

export interface DashboardModule extends Module {
  /** What routes accept beside API keys. */
  readonly tenantSessions: TenantSessions;
  /** Ends all of a person's sessions, and the links that would begin one; how many sessions there were. */
  endSessionsOf(userId: string): Promise<number>;
}

/** Signing in to the dashboard, and its sessions as tenants' credentials. */
export function createDashboardModule(options: {
  readonly platform: Platform;
  readonly tenants: TenantsService;
  readonly users: UsersService;
}): DashboardModule {
  const { tenants, users } = options;
  const { store, clock, config, publicUrl } = options.platform;
  const sessions = new Sessions({
    store,
    clock,
    cookies: new SessionCookies(config.secretsKeys),
    publicUrl,
  });
  const identityTokens =
    config.identityProvider &&
    new IdentityTokens({
      provider: config.identityProvider,
      userOf: (person) => users.find(person),
      clock,
    });
  const links = new LoginLinks(store, clock);
  const routes = { links, sessions, tenants, users, publicUrl };
  return {
    name: 'dashboard',
    routes: sessionRoutes(routes),
    internalRoutes: loginLinkRoutes(routes),
    async endSessionsOf(userId) {
      await links.withdrawAllOf(userId);
      return sessions.closeAllOf(userId);
    },
    tenantSessions: tenantSessions({ sessions, identityTokens, publicUrl }),
  };
}
