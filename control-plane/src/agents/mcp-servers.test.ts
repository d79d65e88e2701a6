import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import type { AgentResponse } from './schemas.js';

let store: TestStore;
let plane: TestControlPlane;
let key: string;

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri);
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});
beforeEach(async () => {
  ({ key } = await plane.newKey());
});

const shop = (changes: object = {}) => ({
  type: 'mcp',
  name: 'shop',
  server_url: 'https://mcp.shop.example/mcp',
  ...changes,
});
const save = (...tools: readonly object[]) =>
  plane.request('POST', '/api/v1/agents', { key, body: { name: 'Ann', system_prompt: 'You sell.', tools } });
async function saved(...tools: readonly object[]): Promise<AgentResponse> {
  const answer = await save(...tools);
  expect(answer.status, answer.text).toBe(201);
  return answer.json as AgentResponse;
}
const patch = (id: string, body: object) => plane.request('PATCH', `/api/v1/agents/${id}`, { key, body });

describe("an agent's MCP server", () => {
  it('is named by its URL; everything else has a default, and it need not be up', async () => {
    const { tools } = await saved(shop());
    expect(tools).toEqual([{ ...shop(), description: '', headers: {}, timeout_ms: 10_000 }]);
  });

  // @rule 2.7
  it.each<[string, object, (string | number)[]]>([
    ['no URL', { server_url: 'shop' }, ['server_url']],
    ['a private address', { server_url: 'http://10.0.0.7/mcp' }, ['server_url']],
    ['a loopback address', { server_url: 'http://[::1]/mcp' }, ['server_url']],
    ['another protocol', { server_url: 'ftp://mcp.shop.example/' }, ['server_url']],
    ['credentials in the URL', { server_url: 'https://a:b@mcp.shop.example/' }, ['server_url']],
    ['a header that is none', { headers: { 'a b': 'c' } }, ['headers', 'a b']],
    [
      "the protocol's own header",
      { secret_headers: { 'Mcp-Session-Id': 'x' } },
      ['secret_headers', 'Mcp-Session-Id'],
    ],
    ['a header with a line break', { headers: { 'x-a': 'b\r\nc: d' } }, ['headers', 'x-a']],
    ['no tool at all', { allowed_tools: [] }, ['allowed_tools']],
    ['no time', { timeout_ms: 0 }, ['timeout_ms']],
    ['a field that there is not', { secret: 'x' }, []],
  ])('is refused with %s', async (_, changes, field) => {
    const answer = await save(shop(changes));
    expect(answer.status).toBe(422);
    const { detail } = answer.json as { detail: { loc: unknown[] }[] };
    expect(detail.map(({ loc }) => loc.slice(0, 3 + field.length))).toContainEqual([
      'body',
      'tools',
      0,
      ...field,
    ]);
  });

  it('is refused at a change, too', async () => {
    const { id } = await saved(shop());
    const answer = await patch(id, { tools: [shop({ server_url: 'http://169.254.169.254/' })] });
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('egress_address_refused')]);
  });

  it('is one of three at most', async () => {
    const servers = ['a', 'b', 'c', 'd'].map((name) => shop({ name }));
    expect((await save(...servers.slice(1))).status).toBe(201);
    expect((await save(...servers)).status).toBe(422);
  });
});

describe("an MCP server's secret headers", () => {
  const secret = shop({ secret_headers: { Authorization: 'Bearer hush' }, headers: { 'x-shop': '7' } });
  /** What a call that begins now would get. */
  const secretsOf = async (id: string) => {
    const row = await plane.platform.store
      .collection<{ _id: string; secrets: string | null }>('agents')
      .findOne({
        _id: id,
      });
    return row?.secrets == null ? null : plane.platform.secrets.open(`agents/${id}`, row.secrets);
  };

  // @rule 2.7
  it('are never shown, nor stored in the open', async () => {
    const agent = await saved(secret);
    const shown = await plane.request('GET', `/api/v1/agents/${agent.id}`, { key });
    const listed = await plane.request('GET', '/api/v1/agents', { key });
    const row = await plane.platform.store.collection('agents').findOne({ _id: agent.id as never });
    expect(JSON.stringify(agent) + shown.text + listed.text + JSON.stringify(row)).not.toMatch(
      /hush|secret_headers/,
    );
    expect(agent.tools[0]).toMatchObject({ headers: { 'x-shop': '7' } });
    expect(await secretsOf(agent.id)).toContain('hush');
  });

  it('stay when what was shown is sent back, and go when they are emptied', async () => {
    const { id, tools } = await saved(secret);
    await patch(id, { tools });
    expect(await secretsOf(id)).toContain('hush');
    await patch(id, { tools: [{ ...tools[0], secret_headers: {} }] });
    expect(await secretsOf(id)).not.toContain('hush');
  });

  // @rule 2.7
  it('are never sent to another server than the one they were given for', async () => {
    const { id, tools } = await saved(secret);
    await patch(id, { tools: [{ ...tools[0], server_url: 'https://mcp.shop.example/v2' }] });
    expect(await secretsOf(id)).toContain('hush');
    await patch(id, { tools: [{ ...tools[0], server_url: 'https://mcp.elsewhere.example/mcp' }] });
    expect(await secretsOf(id)).toBeNull();
  });
});
