import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { listen, type RunningEmulator, readBody, requestUrl } from '../serving/http-server.js';
import { airtable, calCom, notion, webhooks } from './key-vendors.js';
import { OAuthAuthority } from './oauth-authority.js';
import { google, hubspot, salesforce, slack } from './oauth-vendors.js';
import type { Done, VendorContext, VendorReply, VendorRequest } from './vendor.js';

export interface IntegrationsEmulatorOptions {
  /** 0 takes a free one. */
  readonly port?: number;
  readonly clock?: Clock;
  /** The key that vendors without OAuth take. */
  readonly key?: string;
}

export interface IntegrationsEmulator extends RunningEmulator {
  readonly authorities: VendorContext['authorities'];
  readonly key: string;
  /** What was done in the vendors' accounts. */
  readonly done: readonly Done[];
  /** What does not follow a script of requests. */
  readonly faults: {
    /** Answers this many requests with 503. */
    failNext: number;
    /** Answers the next request with this, as a vendor that fails in its own way, or a proxy before it. */
    answerNext: VendorReply | undefined;
    /** Runs before every answer. */
    before: (path: string) => Promise<void>;
  };
  /** The environment of a control plane that takes this for all vendors. */
  readonly env: Readonly<Record<string, string>>;
}

const MAX_BODY_BYTES = 1024 * 1024;
const GOOGLE_SCOPES = ['calendar.events', 'calendar.freebusy', 'spreadsheets'].map(
  (name) => `https://www.googleapis.com/auth/${name}`,
);

/** Serves all vendors of integrations at one address: their paths do not overlap. */
export async function startIntegrationsEmulator(
  options: IntegrationsEmulatorOptions = {},
): Promise<IntegrationsEmulator> {
  const clock = options.clock ?? systemClock;
  const key = options.key ?? 'integrations-key';
  const authorities = {
    slack: new OAuthAuthority(
      'slack',
      { scopes: ['chat:write'], separator: ',', pkce: false, lifetimeS: null, refresh: 'never' },
      clock,
    ),
    hubspot: new OAuthAuthority(
      'hubspot',
      {
        scopes: ['oauth', 'crm.objects.contacts.read', 'crm.objects.contacts.write'],
        separator: ' ',
        pkce: false,
        lifetimeS: 1800,
        refresh: 'always',
      },
      clock,
    ),
    salesforce: new OAuthAuthority(
      'salesforce',
      {
        scopes: ['api', 'refresh_token', 'openid'],
        separator: ' ',
        pkce: true,
        lifetimeS: 7200,
        refresh: 'always',
      },
      clock,
    ),
    google: new OAuthAuthority(
      'google',
      {
        scopes: ['openid', 'email', ...GOOGLE_SCOPES],
        separator: ' ',
        pkce: true,
        lifetimeS: 3600,
        refresh: 'offline_with_consent',
      },
      clock,
    ),
  };
  const done: Done[] = [];
  const faults: IntegrationsEmulator['faults'] = {
    failNext: 0,
    answerNext: undefined,
    before: async () => {},
  };
  const { server, running } = await listen(options.port ?? 0);
  const context: VendorContext = { authorities, keys: new Set([key]), done, url: () => running.url };
  const vendors = [slack, hubspot, salesforce, google, airtable, notion, calCom, webhooks];

  async function replyTo(request: IncomingMessage): Promise<VendorReply> {
    const asked = await read(request);
    if (!asked) return { status: 415, body: { message: 'the body is neither JSON nor a form' } };
    await faults.before(asked.path);
    if (faults.failNext > 0) {
      faults.failNext -= 1;
      return { status: 503, body: { message: 'out of order' } };
    }
    if (faults.answerNext) {
      const answer = faults.answerNext;
      faults.answerNext = undefined;
      return answer;
    }
    for (const vendor of vendors) {
      const reply = vendor(asked, context);
      if (reply) return reply;
    }
    return { status: 404, body: { message: `no vendor has ${asked.path}` } };
  }

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    replyTo(request).then(
      ({ status, body, location }) => {
        response.writeHead(status, {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(location === undefined ? {} : { location }),
        });
        response.end(body === undefined ? undefined : JSON.stringify(body));
      },
      () => response.destroy(),
    );
  });
  return { ...running, authorities, key, done, faults, env: environment(running.url, authorities) };
}

function environment(
  url: string,
  authorities: VendorContext['authorities'],
): Readonly<Record<string, string>> {
  const clients = Object.entries(authorities).flatMap(([name, { clientId, clientSecret }]) => [
    [`${name.toUpperCase()}_CLIENT_ID`, clientId],
    [`${name.toUpperCase()}_CLIENT_SECRET`, clientSecret],
    [`${name.toUpperCase()}_URL`, url],
  ]);
  const others = ['AIRTABLE', 'NOTION', 'CAL_COM', 'ZAPIER', 'MAKE'].map((name) => [`${name}_URL`, url]);
  return Object.fromEntries([...clients, ...others]) as Record<string, string>;
}

async function read(request: IncomingMessage): Promise<VendorRequest | undefined> {
  const text = (await readBody(request, MAX_BODY_BYTES)).toString('utf8');
  const url = requestUrl(request);
  const asked = {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    json: {},
    form: new URLSearchParams(),
  };
  if (text === '') return asked;
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('application/x-www-form-urlencoded'))
    return { ...asked, form: new URLSearchParams(text) };
  if (!type.startsWith('application/json')) return undefined;
  const json: unknown = JSON.parse(text);
  return typeof json === 'object' && json !== null ? { ...asked, json: { ...json } } : undefined;
}
