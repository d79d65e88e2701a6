import { type Grant, type OAuthAuthority, OAuthRefusal } from './oauth-authority.js';
import { bearerOf, textAt, type Vendor, type VendorReply, type VendorRequest } from './vendor.js';

/** Sends the person back with a code, or says what is wrong with the request, as a page would. */
function authorize(authority: OAuthAuthority, { query }: VendorRequest): VendorReply {
  try {
    return { status: 302, location: authority.consent(query) };
  } catch (error) {
    return { status: 400, body: rfcError(error) };
  }
}

function rfcError(error: unknown): { error: string; error_description: string } {
  if (!(error instanceof OAuthRefusal)) throw error;
  return { error: error.error, error_description: error.message };
}

/** Exchanges a code or a refresh token; the vendor says how the grant and a refusal look. */
function exchange(
  authority: OAuthAuthority,
  { form }: VendorRequest,
  bodyOf: (grant: Grant) => unknown,
  // RFC 6749, 5.2.
  refusal: (error: ReturnType<typeof rfcError>) => VendorReply = (body) => ({
    status: body.error === 'invalid_client' ? 401 : 400,
    body,
  }),
): VendorReply {
  try {
    return { status: 200, body: bodyOf(authority.token(form)) };
  } catch (error) {
    return refusal(rfcError(error));
  }
}

/** https://api.slack.com/methods: everything is 200, failures say `ok: false`. */
export const slack: Vendor = (request, { authorities: { slack: authority }, done }) => {
  const { path, method } = request;
  const no = (error: string): VendorReply => ({ status: 200, body: { ok: false, error } });
  if (path === '/oauth/v2/authorize') return authorize(authority, request);
  if (path === '/api/oauth.v2.access') {
    return exchange(
      authority,
      request,
      (grant) => ({
        ok: true,
        access_token: grant.accessToken,
        token_type: 'bot',
        scope: grant.scopes.join(','),
        team: { id: 'T1', name: 'Acme' },
      }),
      ({ error }) => no(error === 'invalid_client' ? 'bad_client_secret' : 'invalid_code'),
    );
  }
  if (!path.startsWith('/api/')) return undefined;
  if (method !== 'POST') return no('invalid_post_type');
  const scopes = authority.scopesOf(bearerOf(request));
  if (!scopes) return no(bearerOf(request) === '' ? 'not_authed' : 'token_revoked');
  switch (path) {
    case '/api/auth.test':
      return { status: 200, body: { ok: true, team: 'Acme', user: 'agent' } };
    case '/api/auth.revoke':
      authority.revoke(bearerOf(request));
      return { status: 200, body: { ok: true, revoked: true } };
    case '/api/chat.postMessage': {
      if (!scopes.includes('chat:write')) return no('missing_scope');
      const [channel, text] = [textAt(request.json, 'channel'), textAt(request.json, 'text')];
      if (channel === undefined || channel === 'nowhere') return no('channel_not_found');
      if (text === undefined) return no('no_text');
      done.push({ what: 'slack message', data: { channel, text } });
      return { status: 200, body: { ok: true, channel, ts: `1700000000.${done.length}` } };
    }
    default:
      return no('unknown_method');
  }
};

/** https://developers.hubspot.com/docs/api */
export const hubspot: Vendor = (request, { authorities: { hubspot: authority }, done }) => {
  const { path, method } = request;
  const refuse = (status: number, message: string, category: string): VendorReply => ({
    status,
    body: { status: 'error', message, category },
  });
  const codeOf = (error: string) => {
    if (error === 'invalid_client') return 'BAD_CLIENT_SECRET';
    return request.form.get('grant_type') === 'refresh_token' ? 'BAD_REFRESH_TOKEN' : 'BAD_AUTH_CODE';
  };
  if (path === '/oauth/authorize') return authorize(authority, request);
  if (path === '/oauth/v1/token') {
    return exchange(
      authority,
      request,
      (grant) => ({
        token_type: 'bearer',
        access_token: grant.accessToken,
        refresh_token: grant.refreshToken ?? request.form.get('refresh_token'),
        expires_in: authority.lifetimeS,
      }),
      // Not in the terms of RFC 6749.
      ({ error, error_description: message }) => ({ status: 400, body: { status: codeOf(error), message } }),
    );
  }
  const named = /^\/oauth\/v1\/(access|refresh)-tokens\/(.+)$/.exec(path);
  if (named?.[1] === 'access') {
    const known = authority.scopesOf(decodeURIComponent(named[2]!));
    if (!known) return refuse(404, 'access token is not known', 'OBJECT_NOT_FOUND');
    return { status: 200, body: { hub_id: 4711, user: 'ann@acme.example', scopes: known } };
  }
  if (named && method === 'DELETE') {
    return authority.revoke(decodeURIComponent(named[2]!))
      ? { status: 204 }
      : refuse(404, 'refresh token is not known', 'OBJECT_NOT_FOUND');
  }
  if (!path.startsWith('/crm/')) return undefined;
  const scopes = authority.scopesOf(bearerOf(request));
  if (!scopes) return refuse(401, 'The OAuth token used to make this call expired', 'EXPIRED_AUTHENTICATION');
  const writes = method === 'POST';
  if (!scopes.includes(`crm.objects.contacts.${writes ? 'write' : 'read'}`)) {
    return refuse(403, 'This app has not been granted the scope', 'MISSING_SCOPES');
  }
  if (writes && path === '/crm/v3/objects/contacts/batch/upsert') {
    const [input] = (request.json.inputs ?? []) as Record<string, unknown>[];
    if (input?.idProperty !== 'email' || textAt(input, 'id') === undefined) {
      return refuse(400, 'Invalid input JSON', 'VALIDATION_ERROR');
    }
    done.push({ what: 'hubspot contact', data: input.properties as Record<string, unknown> });
    return { status: 200, body: { status: 'COMPLETE', results: [{ id: `c-${input.id}`, new: true }] } };
  }
  const contact = /^\/crm\/v3\/objects\/contacts\/([^/]+)$/.exec(path);
  if (!writes && contact && request.query.get('idProperty') === 'email') {
    const email = decodeURIComponent(contact[1]!);
    const known = done.some(({ what, data }) => what === 'hubspot contact' && data.email === email);
    return known
      ? { status: 200, body: { id: `c-${email}`, properties: { email } } }
      : refuse(404, 'resource not found', 'OBJECT_NOT_FOUND');
  }
  if (writes && path === '/crm/v3/objects/notes') {
    const properties = (request.json.properties ?? {}) as Record<string, unknown>;
    if (textAt(properties, 'hs_timestamp') === undefined) {
      return refuse(400, 'hs_timestamp is required', 'VALIDATION_ERROR');
    }
    done.push({ what: 'hubspot note', data: { ...properties, associations: request.json.associations } });
    return { status: 201, body: { id: `n-${done.length}` } };
  }
  return refuse(404, 'no such endpoint', 'OBJECT_NOT_FOUND');
};

/** https://developer.salesforce.com/docs: no lifetime in the token answer, and an address for each account. */
export const salesforce: Vendor = (request, { authorities: { salesforce: authority }, done, url }) => {
  const { path, method } = request;
  if (!path.startsWith('/services/')) return undefined;
  if (path === '/services/oauth2/authorize') return authorize(authority, request);
  if (path === '/services/oauth2/token') {
    return exchange(authority, request, (grant) => ({
      access_token: grant.accessToken,
      ...(grant.refreshToken === null ? {} : { refresh_token: grant.refreshToken }),
      instance_url: url(),
      token_type: 'Bearer',
      issued_at: '1700000000000',
    }));
  }
  if (path === '/services/oauth2/revoke') {
    return authority.revoke(request.form.get('token') ?? '')
      ? { status: 200 }
      : { status: 400, body: { error: 'unsupported_token_type', error_description: 'invalid token' } };
  }
  const scopes = authority.scopesOf(bearerOf(request));
  if (!scopes) {
    return {
      status: 401,
      body: [{ message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' }],
    };
  }
  if (path === '/services/oauth2/userinfo') {
    return { status: 200, body: { preferred_username: 'ann@acme.example' } };
  }
  if (path === '/services/data/v60.0/sobjects/Lead' && method === 'POST') {
    for (const field of ['LastName', 'Company']) {
      if (textAt(request.json, field) === undefined) {
        const message = `Required fields are missing: [${field}]`;
        return { status: 400, body: [{ message, errorCode: 'REQUIRED_FIELD_MISSING', fields: [field] }] };
      }
    }
    done.push({ what: 'salesforce lead', data: request.json });
    return { status: 201, body: { id: `00Q${done.length}`, success: true, errors: [] } };
  }
  return {
    status: 404,
    body: [{ message: 'The requested resource does not exist', errorCode: 'NOT_FOUND' }],
  };
};

const CALENDAR_SCOPES = {
  freeBusy: 'https://www.googleapis.com/auth/calendar.freebusy',
  events: 'https://www.googleapis.com/auth/calendar.events',
} as const;
const SHEETS_SCOPE = 'https://www.googleapis.com/auth/spreadsheets';

/** https://developers.google.com */
export const google: Vendor = (request, { authorities: { google: authority }, done }) => {
  const { path, method } = request;
  const refuse = (code: number, message: string): VendorReply => ({
    status: code,
    body: { error: { code, message } },
  });
  if (path === '/o/oauth2/v2/auth') return authorize(authority, request);
  if (path === '/token') {
    return exchange(authority, request, (grant) => ({
      access_token: grant.accessToken,
      expires_in: authority.lifetimeS,
      ...(grant.refreshToken === null ? {} : { refresh_token: grant.refreshToken }),
      scope: grant.scopes.join(' '),
      token_type: 'Bearer',
    }));
  }
  if (path === '/revoke') {
    return authority.revoke(request.form.get('token') ?? '')
      ? { status: 200, body: {} }
      : { status: 400, body: { error: 'invalid_token', error_description: 'Token expired or revoked' } };
  }
  if (!/^\/(oauth2\/v3|calendar\/v3|v4\/spreadsheets)\//.test(path)) return undefined;
  const scopes = authority.scopesOf(bearerOf(request));
  if (!scopes) return refuse(401, 'Request had invalid authentication credentials.');
  const lacks = (scope: string) => !scopes.includes(scope);
  if (path === '/oauth2/v3/userinfo') return { status: 200, body: { email: 'ann@acme.example' } };
  if (path === '/calendar/v3/freeBusy' && method === 'POST') {
    if (lacks(CALENDAR_SCOPES.freeBusy)) return refuse(403, 'Insufficient Permission');
    const [item] = (request.json.items ?? []) as { id: string }[];
    if (!item || textAt(request.json, 'timeMin') === undefined)
      return refuse(400, 'Missing timeMin or items');
    const busy = done
      .filter(({ what, data }) => what === 'google event' && data.calendar === item.id)
      .map(({ data }) => ({
        start: (data.start as { dateTime: string }).dateTime,
        end: (data.end as { dateTime: string }).dateTime,
      }));
    return { status: 200, body: { calendars: { [item.id]: { busy } } } };
  }
  const events = /^\/calendar\/v3\/calendars\/([^/]+)\/events$/.exec(path);
  if (events && method === 'POST') {
    if (lacks(CALENDAR_SCOPES.events)) return refuse(403, 'Insufficient Permission');
    const { id } = request.json;
    if (typeof id === 'string' && !/^[a-v0-9]{5,1024}$/.test(id))
      return refuse(400, 'Invalid resource id value.');
    if (done.some(({ data }) => data.id === id))
      return refuse(409, 'The requested identifier already exists.');
    done.push({ what: 'google event', data: { ...request.json, calendar: decodeURIComponent(events[1]!) } });
    return { status: 200, body: { id, htmlLink: `https://calendar.example/${String(id)}` } };
  }
  const append = /^\/v4\/spreadsheets\/([^/]+)\/values\/([^/]+):append$/.exec(path);
  if (append && method === 'POST') {
    if (lacks(SHEETS_SCOPE)) return refuse(403, 'Request had insufficient authentication scopes.');
    if (request.query.get('valueInputOption') === null) return refuse(400, "'valueInputOption' is required");
    const values = request.json.values as unknown[][];
    done.push({
      what: 'google row',
      data: { spreadsheet: append[1], values, input: request.query.get('valueInputOption') },
    });
    return { status: 200, body: { updates: { updatedRange: `Sheet1!A${done.length}`, updatedRows: 1 } } };
  }
  return refuse(404, 'Not Found');
};
