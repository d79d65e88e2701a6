import { afterEach, expect, it, vi } from 'vitest';
import { createApi, dataOf, showTenant } from './client.js';

afterEach(() => vi.unstubAllGlobals());

it('names in each request whose pages are shown, from when that is known', async () => {
  const sent: (string | null)[] = [];
  vi.stubGlobal('location', { origin: 'https://voice.example' });
  vi.stubGlobal('fetch', async (request: Request) => {
    sent.push(request.headers.get('x-tenant'));
    return Response.json({ agents: [] });
  });
  const api = createApi('sandbox');
  await api.GET('/api/v1/agents');
  showTenant('tenant-1');
  await api.GET('/api/v1/agents');
  showTenant('tenant-2');
  await createApi('live').GET('/api/v1/agents');
  expect(sent).toEqual([null, 'tenant-1', 'tenant-2']);
});

it('says that something else has answered where there is no JSON', async () => {
  const read = async () => ({ data: JSON.parse('<html>Sign in</html>'), response: new Response() });
  await expect(dataOf(read())).rejects.toMatchObject({ name: 'ApiError', code: 'no_json', status: 0 });
});
