import {
  INTEGRATION_TOOL_PATH,
  integrationToolOutcome,
  integrationToolRequest,
} from '@voice/shared/contracts/integration-tool';
import { z } from 'zod';
import { cookieValue } from '../identity/dashboard/session-cookie.js';
import { type Route, reply, route, streamed } from '../platform/http/route.js';
import { isDashboardSession } from '../platform/http/route-traits.js';
import { ValidationError } from '../platform/http/validation.js';
import { PAGE_HEADERS } from '../platform/http/wire-answers.js';
import { connectedPage, failedPage } from './callback-pages.js';
import { OAUTH_STATE_LIFE_MS } from './oauth-states.js';
import {
  apiKeyConnectRequest,
  connectionHealth,
  connectResponse,
  disconnectResponse,
  integrationInfo,
  slugParams,
  updateConfigRequest,
} from './schemas.js';
import type { Integrations } from './service.js';
import type { ToolRuns } from './tool-runs.js';

const tag = 'Integrations';
const base = '/api/v1/integrations';
const BROWSER_COOKIE = 'integration_connect';

/** RFC 6749, 4.1.2: `code` and `state`, or `error` instead of the code. */
const callbackQuery = z.object({
  code: z.string().min(1).max(4096).optional().describe('Required unless the vendor sends `error`.'),
  state: z.string().min(1).max(1024).optional().describe('Required with `code`.'),
  error: z.string().max(256).optional().describe("The vendor's, such as `access_denied`."),
});

function consented({ code, state }: z.output<typeof callbackQuery>): { code: string; state: string } {
  if (code !== undefined && state !== undefined) return { code, state };
  throw new ValidationError(
    Object.entries({ code, state }).flatMap(([name, value]) =>
      value === undefined ? [{ loc: ['query', name], msg: 'Field required', type: 'missing' }] : [],
    ),
  );
}

export function integrationRoutes(integrations: Integrations, publicUrl: () => string): Route[] {
  return [
    route({
      method: 'get',
      path: base,
      operationId: 'listIntegrations',
      tag,
      summary: 'List all integrations with how they are connected',
      description:
        "Whose account is connected and its settings are production's: the sandbox does not show them.",
      auth: 'tenant_in_mode',
      responses: { 200: { description: 'All of them.', schema: z.array(integrationInfo) } },
      handler: async ({ scope }) => {
        const all = await integrations.list(scope.tenant);
        return reply(200, scope.sandbox ? all.map((info) => ({ ...info, account: null, config: {} })) : all);
      },
    }),
    route({
      method: 'post',
      path: `${base}/{slug}/api-key-connect`,
      operationId: 'connectIntegrationByKey',
      tag,
      summary: 'Connect by a key, token or webhook URL',
      auth: 'tenant_live',
      params: slugParams,
      body: apiKeyConnectRequest,
      responses: {
        200: { description: 'The vendor took it; it is stored encrypted.', schema: integrationInfo },
      },
      errors: [
        'integration_not_found',
        'integration_connects_otherwise',
        'integration_credentials_refused',
        'integration_vendor_error',
        'conflict',
      ],
      handler: async ({ tenant, params, body }) =>
        reply(200, await integrations.connectByKey(tenant, params.slug, body)),
    }),
    route({
      method: 'post',
      path: `${base}/{slug}/connect`,
      operationId: 'connectIntegration',
      tag,
      summary: 'Begin to connect by OAuth',
      description:
        'The consent must come back within ten minutes, once. A server may ask and give `redirect_url` to a person ' +
        'whom it trusts: the person who consents there connects their account to this tenant. What a session of the ' +
        'dashboard begins must come back in its browser, by a cookie. An Idempotency-Key replays the same ' +
        '`redirect_url` and cookie, to the credential that got them; they are none the fresher for it.',
      auth: 'tenant_live',
      // The cookie belongs to one browser.
      replaysToCredential: true,
      params: slugParams,
      responses: {
        200: {
          description: 'Where the person consents.',
          schema: connectResponse,
          headers: { 'Set-Cookie': 'To a session of the dashboard: binds the consent to this browser.' },
        },
      },
      errors: ['integration_not_found', 'integration_connects_otherwise', 'integration_not_configured'],
      handler: async ({ tenant, keyId, params: { slug } }) => {
        const by = isDashboardSession(keyId) ? 'browser' : 'server';
        const { redirectUrl, browser, expiresAt } = await integrations.connect(tenant, slug, by);
        return reply(
          200,
          { redirect_url: redirectUrl, expires_at: expiresAt.toISOString() },
          browser === null
            ? {}
            : { 'Set-Cookie': browserCookie(slug, browser, OAUTH_STATE_LIFE_MS / 1000, publicUrl()) },
        );
      },
    }),
    route({
      method: 'get',
      path: `${base}/{slug}/callback`,
      operationId: 'integrationCallback',
      tag,
      summary: 'Where vendors send people back to',
      description:
        'Exchanges the code and redirects to the dashboard. `state` protects against CSRF: it is signed, good once ' +
        'and for ten minutes, for its tenant and integration; what was begun in the dashboard needs its cookie, ' +
        'too. Browsers are answered by a page in words, also where something went wrong.',
      auth: 'none',
      params: slugParams,
      query: callbackQuery,
      errorPage: (error, requestId) => failedPage(error, requestId, `${publicUrl()}/dashboard`),
      responses: {
        200: { description: 'Connected; the page leads on to the dashboard.', contentType: 'text/html' },
      },
      errors: [
        'integration_not_found',
        'integration_not_configured',
        'oauth_denied',
        'oauth_state_invalid',
        'oauth_code_invalid',
        'integration_vendor_error',
        'conflict',
      ],
      handler: async ({ params: { slug }, query, request }) => {
        const browser = cookieValue(request.get('cookie'), BROWSER_COOKIE);
        if (query.error !== undefined) {
          return integrations.callbackError(slug, query.error, query.state, browser);
        }
        const { code, state } = consented(query);
        const name = await integrations.callback(slug, code, state, browser);
        const target = `${publicUrl()}/dashboard?integration=${slug}`;
        return streamed(200, (response) => void response.end(connectedPage(name, target)), {
          ...PAGE_HEADERS,
          Refresh: `0; url=${target}`,
          'Set-Cookie': browserCookie(slug, '', 0, publicUrl()),
        });
      },
    }),
    route({
      method: 'delete',
      path: `${base}/{slug}`,
      operationId: 'disconnectIntegration',
      tag,
      summary: 'Revoke the tokens and remove the connection',
      auth: 'tenant_live',
      params: slugParams,
      responses: { 200: { description: 'It is not connected any more.', schema: disconnectResponse } },
      errors: ['integration_not_found', 'integration_not_connected', 'conflict'],
      handler: async ({ tenant, params }) => reply(200, await integrations.disconnect(tenant, params.slug)),
    }),
    route({
      method: 'get',
      path: `${base}/{slug}/status`,
      operationId: 'getIntegrationStatus',
      tag,
      summary: 'Ask the vendor whether the connection works',
      auth: 'tenant_live',
      params: slugParams,
      responses: { 200: { description: 'How the connection is now.', schema: connectionHealth } },
      errors: ['integration_not_found', 'integration_not_configured'],
      handler: async ({ tenant, params }) => reply(200, await integrations.status(tenant, params.slug)),
    }),
    route({
      method: 'patch',
      path: `${base}/{slug}/config`,
      operationId: 'updateIntegrationConfig',
      tag,
      summary: 'Merge keys into the settings of a connected integration',
      auth: 'tenant_live',
      params: slugParams,
      body: updateConfigRequest,
      responses: { 200: { description: 'The integration with its settings.', schema: integrationInfo } },
      errors: [
        'integration_not_found',
        'integration_not_connected',
        'integration_config_too_large',
        'conflict',
      ],
      handler: async ({ tenant, params, body }) =>
        reply(200, await integrations.mergeConfig(tenant, params.slug, body.config)),
    }),
  ];
}

/** Declares the routes of what media workers ask for while they hold a call. */
export function integrationToolRoutes(runs: ToolRuns): Route[] {
  return [
    route({
      method: 'post',
      path: INTEGRATION_TOOL_PATH,
      operationId: 'runIntegrationTool',
      tag: 'Internal',
      summary: "Run an agent's tool with its tenant's connection, once for each tool call",
      auth: 'inter_plane',
      repeatsHarmlessly: true,
      body: integrationToolRequest,
      responses: { 200: { description: 'What the model gets to read.', schema: integrationToolOutcome } },
      errors: ['call_not_found', 'conflict'],
      handler: async ({ body }) => reply(200, await runs.run(body)),
    }),
  ];
}

/** Lax: it must come along when the vendor's page leads back here. */
function browserCookie(slug: string, value: string, maxAgeSeconds: number, publicUrl: string): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${BROWSER_COOKIE}=${value}; Path=${base}/${slug}/callback; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
