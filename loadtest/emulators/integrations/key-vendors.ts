import { bearerOf, textAt, type Vendor } from './vendor.js';

/** https://airtable.com/developers/web/api */
export const airtable: Vendor = (request, { keys, done }) => {
  const { path, method, json } = request;
  if (!path.startsWith('/v0/')) return undefined;
  if (!keys.has(bearerOf(request))) {
    const error = { type: 'AUTHENTICATION_REQUIRED', message: 'Authentication required' };
    return { status: 401, body: { error } };
  }
  if (path === '/v0/meta/whoami')
    return { status: 200, body: { id: 'usr1', scopes: ['data.records:write'] } };
  const table = /^\/v0\/(app\w+)\/([^/]+)$/.exec(path);
  if (!table || method !== 'POST') return { status: 404, body: { error: 'NOT_FOUND' } };
  if (typeof json.fields !== 'object') {
    return {
      status: 422,
      body: { error: { type: 'INVALID_REQUEST_BODY', message: 'Could not find fields' } },
    };
  }
  const data = { base: table[1], table: decodeURIComponent(table[2]!), fields: json.fields };
  done.push({ what: 'airtable record', data });
  return { status: 200, body: { id: `rec${done.length}`, fields: json.fields } };
};

/** https://developers.notion.com/reference: a version is demanded. */
export const notion: Vendor = (request, { keys, done }) => {
  const { path, json, headers, method } = request;
  if (!path.startsWith('/v1/')) return undefined;
  const refuse = (status: number, code: string, message: string) => ({
    status,
    body: { object: 'error', status, code, message },
  });
  if (!keys.has(bearerOf(request))) return refuse(401, 'unauthorized', 'API token is invalid.');
  if (headers['notion-version'] === undefined) {
    return refuse(400, 'missing_version', 'Notion-Version header failed validation');
  }
  if (path === '/v1/users/me')
    return { status: 200, body: { object: 'user', type: 'bot', name: 'Acme bot' } };
  if (path !== '/v1/pages' || method !== 'POST') return refuse(404, 'object_not_found', 'Not found');
  const parent = (json.parent ?? {}) as Record<string, unknown>;
  if (textAt(parent, 'database_id') === undefined) {
    return refuse(400, 'validation_error', 'body.parent should be defined');
  }
  done.push({ what: 'notion page', data: json });
  return {
    status: 200,
    body: { object: 'page', id: `p${done.length}`, url: `https://notion.example/p${done.length}` },
  };
};

/** https://cal.com/docs/api-reference/v2: each endpoint with its version. */
export const calCom: Vendor = (request, { keys, done }) => {
  const { path, json, headers, method, query } = request;
  if (!path.startsWith('/v2/')) return undefined;
  const refuse = (status: number, message: string) => ({
    status,
    body: { status: 'error', error: { code: 'Refused', message } },
  });
  if (!keys.has(bearerOf(request))) return refuse(401, 'Invalid API Key');
  if (path === '/v2/me')
    return { status: 200, body: { status: 'success', data: { email: 'ann@acme.example' } } };
  const booked = (start: unknown) =>
    done.some(({ what, data }) => what === 'booking' && data.start === start);
  if (path === '/v2/slots' && headers['cal-api-version'] === '2024-09-04') {
    const day = query.get('start');
    if (query.get('eventTypeId') === null || day === null)
      return refuse(400, 'eventTypeId and start are needed');
    const starts = ['09:00', '10:00'].map((time) => `${day}T${time}:00.000Z`).filter((at) => !booked(at));
    return { status: 200, body: { status: 'success', data: { [day]: starts.map((start) => ({ start })) } } };
  }
  if (path === '/v2/bookings' && method === 'POST' && headers['cal-api-version'] === '2024-08-13') {
    if (typeof json.eventTypeId !== 'number') return refuse(400, 'eventTypeId must be a number');
    if (booked(json.start))
      return refuse(400, 'User either already has booking at this time or is not available');
    done.push({ what: 'booking', data: json });
    return { status: 201, body: { status: 'success', data: { uid: `b${done.length}`, start: json.start } } };
  }
  return refuse(404, 'Not found');
};

/** Zapier's and Make's webhooks: knowing the URL is enough to start the flow. */
export const webhooks: Vendor = ({ path, method, json }, { done }) => {
  const hook = /^\/hooks\/catch\/([\w-]+)\/?$/.exec(path);
  if (!hook || method !== 'POST') return undefined;
  if (hook[1] === 'gone') return { status: 410, body: { status: 'error', message: 'the hook was removed' } };
  done.push({ what: 'flow', data: { hook: hook[1], ...json } });
  return { status: 200, body: { status: 'success' } };
};
