import type { TenantId } from '@voice/shared/ids/ids';
import type { TenantSessions } from '../../platform/http/authentication.js';
import type { Module, Platform } from '../../platform/module.js';
import type { TenantsService } from '../tenants/service.js';
import type { Member } from '../users/members.js';
import type { UsersService } from '../users/service.js';
import { IdentityTokens } from './identity-token.js';
import { LoginLinks } from './login-links.js';
import { loginUrl } from './login-url.js';
import { loginLinkRoutes, sessionRoutes } from './routes.js';
import { SessionCookies } from './session-cookie.js';
import { Sessions } from './sessions.js';
import { tenantSessions } from './tenant-sessions.js';

export interface DashboardModule extends Module {
  /** What routes accept beside API keys. */
  readonly tenantSessions: TenantSessions;
  /** Ends all of a person's sessions, and the links that would begin one; how many sessions there were. */
  endSessionsOf(userId: string): Promise<number>;
  /** Makes a link that signs the member in once. */
  createLoginLink(member: Member): Promise<{ readonly url: string; readonly expiresAt: Date }>;
}

/** For how long a link that an owner makes for a member can be used, in ms: it goes by mail or chat. */
const MEMBER_LINK_LIFE_MS = 24 * 60 * 60_000;

/** Signing in to the dashboard, and its sessions as tenants' credentials. */
export function createDashboardModule(options: {
  readonly platform: Platform;
  readonly tenants: TenantsService;
  readonly users: UsersService;
  /** Makes a member of who holds the token of an invitation; null for any other token. */
  readonly acceptInvitation: (token: string) => Promise<{ tenant: TenantId; userId: string } | null>;
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
  const { acceptInvitation } = options;
  const { identityProvider } = config;
  const routes = {
    links,
    sessions,
    tenants,
    users,
    publicUrl,
    acceptInvitation,
    identityTokens,
    identityProvider,
  };
  return {
    name: 'dashboard',
    routes: sessionRoutes(routes),
    internalRoutes: loginLinkRoutes(routes),
    async endSessionsOf(userId) {
      await links.withdrawAllOf(userId);
      return sessions.closeAllOf(userId);
    },
    async createLoginLink({ tenant, userId }) {
      const { token, expiresAt } = await links.create(tenant, userId, MEMBER_LINK_LIFE_MS);
      return { url: loginUrl(publicUrl(), token), expiresAt };
    },
    tenantSessions: tenantSessions({ sessions, members: users.members, identityTokens, publicUrl }),
  };
}
