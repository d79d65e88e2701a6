import {
  INTEGRATION_TOOL_PATH,
  integrationToolOutcome,
  integrationToolRequest,
} from '@voice/shared/contracts/integration-tool';
import { z } from 'zod';
import { cookieValue } from '../dashboard/session-cookie.js';
import { type Route, reply, route, streamed } from '../http/route.js';
import { connectedPage } from './connected-page.js';
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

export function integrationRoutes(integrations: Integrations, publicUrl: () => string): Route[] {
  return [
    route({
      method: 'get',
      path: base,
      operationId: 'listIntegrations',
      tag,
      summary: 'List all integrations with how they are connected',
      auth: 'tenant',
      responses: { 200: { description: 'All of them.', schema: z.array(integrationInfo) } },
      handler: async ({ tenant }) => reply(200, await integrations.list(tenant)),
    }),
    route({
      method: 'post',
      path: `${base}/{slug}/api-key-connect`,
      operationId: 'connectIntegrationByKey',
      tag,
      summary: 'Connect by a key, token or webhook URL',
      auth: 'tenant',
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
        'The consent must come back within ten minutes, once, in the browser that got this answer. An ' +
        'Idempotency-Key replays the same `redirect_url` and cookie, to the credential that got them; they ' +
        'are none the fresher for it.',
      auth: 'tenant',
      // The cookie belongs to one browser.
      replaysToCredential: true,
      params: slugParams,
      responses: {
        200: {
          description: 'Where the person consents.',
          schema: connectResponse,
          headers: { 'Set-Cookie': 'Binds the consent to this browser.' },
        },
      },
      errors: ['integration_not_found', 'integration_connects_otherwise', 'integration_not_configured'],
      handler: async ({ tenant, params }) => {
        const { redirectUrl, browser, expiresAt } = await integrations.connect(tenant, params.slug);
        const cookie = browserCookie(params.slug, browser, OAUTH_STATE_LIFE_MS / 1000, publicUrl());
        return reply(
          200,
          { redirect_url: redirectUrl, expires_at: expiresAt.toISOString() },
          { 'Set-Cookie': cookie },
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
        'Exchanges the code and redirects to the dashboard. `state` and a cookie protect against CSRF.',
      auth: 'none',
      params: slugParams,
      query: z.object({ code: z.string().min(1).max(4096), state: z.string().min(1).max(1024) }),
      responses: {
        200: { description: 'Connected; the page leads on to the dashboard.', contentType: 'text/html' },
      },
      errors: [
        'integration_not_found',
        'integration_not_configured',
        'oauth_state_invalid',
        'oauth_code_invalid',
        'integration_vendor_error',
        'conflict',
      ],
      handler: async ({ params: { slug }, query, request }) => {
        const browser = cookieValue(request.get('cookie'), BROWSER_COOKIE);
        const name = await integrations.callback(slug, query.code, query.state, browser);
        const target = `${publicUrl()}/dashboard?integration=${slug}`;
        return streamed(200, (response) => void response.end(connectedPage(name, target)), {
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': "default-src 'none'",
          'Referrer-Policy': 'no-referrer',
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
      auth: 'tenant',
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
      auth: 'tenant',
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
      auth: 'tenant',
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

/** What media workers ask for while they hold a call. */
export function integrationToolRoutes(runs: ToolRuns): Route[] {
  return [
    route({
      method: 'post',
      path: INTEGRATION_TOOL_PATH,
      operationId: 'runIntegrationTool',
      tag: 'Internal',
      summary: "Run an agent's tool with its tenant's connection, once for each tool call",
      auth: 'inter_plane',
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
