import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VendorHttp } from '../platform/vendor-http.js';
import type { OAuthAdapter } from './adapter.js';
import { googleCalendar } from './adapters/google-calendar.js';
import { hubspot } from './adapters/hubspot.js';
import { salesforce } from './adapters/salesforce.js';
import { slack } from './adapters/slack.js';
import { refreshTokens } from './oauth-flow.js';

let server: Server;
let url: string;
let answer: { status: number; body: string };

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(answer.status).end(answer.body);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const refresh = (adapter: OAuthAdapter, status: number, body: string | object) => {
  answer = { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
  const site = {
    adapter,
    client: { id: 'client', secret: 'secret' },
    redirectUri: `${url}/back`,
    at: (_host: string, path: string) => url + path,
    http: new VendorHttp(createAddressPolicy([])),
    now: () => 0,
  };
  return refreshTokens(site, {
    kind: 'oauth',
    access_token: 'access',
    refresh_token: 'refresh',
    expires_at: 0,
    instance_url: null,
  });
};

describe('refreshing tokens', () => {
  it.each([
    {
      adapter: googleCalendar,
      status: 400,
      body: { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' },
    },
    {
      adapter: salesforce,
      status: 400,
      body: { error: 'invalid_grant', error_description: 'expired access/refresh token' },
    },
    {
      adapter: hubspot,
      status: 400,
      body: { status: 'BAD_REFRESH_TOKEN', message: 'missing or invalid refresh token' },
    },
    { adapter: slack, status: 200, body: { ok: false, error: 'invalid_refresh_token' } },
    { adapter: slack, status: 200, body: { ok: false, error: 'token_revoked' } },
  ])(
    'of $adapter.slug fails for good when the grant is dead: $status $body',
    async ({ adapter, status, body }) => {
      const failure = await refresh(adapter, status, body).catch((error: unknown) => error);
      expect(failure).toMatchObject({
        name: 'VendorFailure',
        kind: expect.not.stringMatching('unavailable'),
      });
    },
  );

  it.each([
    {
      adapter: googleCalendar,
      status: 401,
      body: { error: 'invalid_client', error_description: 'Unauthorized' },
    },
    { adapter: googleCalendar, status: 503, body: { error: 'invalid_grant' } },
    {
      adapter: salesforce,
      status: 400,
      body: { error: 'invalid_client_id', error_description: 'client identifier invalid' },
    },
    {
      adapter: hubspot,
      status: 400,
      body: { status: 'BAD_CLIENT_SECRET', message: 'missing or invalid client secret' },
    },
    { adapter: hubspot, status: 403, body: '<html>Blocked</html>' },
    { adapter: slack, status: 200, body: { ok: false, error: 'internal_error' } },
    { adapter: slack, status: 200, body: { ok: false, error: 'bad_client_secret' } },
    { adapter: slack, status: 200, body: '<html>Maintenance</html>' },
  ])(
    'of $adapter.slug may be tried again after any other failure: $status $body',
    async ({ adapter, status, body }) => {
      await expect(refresh(adapter, status, body)).rejects.toMatchObject({ kind: 'unavailable' });
    },
  );
});
