import { asTenantId } from '@voice/shared/ids/ids';
import { describe, expect, it } from 'vitest';
import { AgentsScene } from './testing/agents-scene.js';

const scene = new AgentsScene();

describe("an agent's secrets", () => {
  const tool = {
    type: 'http',
    name: 'crm',
    url: 'https://example.com',
    headers: { 'x-shop': '7' },
    secret_headers: { authorization: 'Bearer hush-header' },
    secret: 'hush-tool',
  };
  const secrets = { secret: 'hush-tool', secret_headers: { authorization: 'Bearer hush-header' } };
  const llm = {
    provider: 'openai',
    model: 'm',
    params: { base_url: 'https://llm.example/v1', api_key: 'hush-key' },
  };

  it('are never shown, never stored in the open, and given to calls', async () => {
    const agent = await scene.create({ tools: [tool], voice_config: { llm } });
    const shown = await scene.request('GET', `/api/v1/agents/${agent.id}`);
    const row = await scene.plane.platform.store.collection('agents').findOne({ _id: agent.id as never });
    expect(shown.text + JSON.stringify(row)).not.toContain('hush');

    const { snapshot } = await scene.service().snapshot(asTenantId(scene.tenantId), agent.id);
    expect(snapshot.tools[0]).toMatchObject({ headers: { 'x-shop': '7' }, ...secrets });
    expect(snapshot.voice_config).toMatchObject({ llm: { params: { api_key: 'hush-key' } } });
  });

  it('stay when what was shown is sent back, and move to no other place', async () => {
    const agent = await scene.create({ tools: [tool], voice_config: { llm } });
    const kept = await scene.patch(agent.id, { tools: agent.tools, voice_config: agent.voice_config });
    expect(kept.status).toBe(200);
    const call = await scene.service().snapshot(asTenantId(scene.tenantId), agent.id);
    expect(call.snapshot.tools[0]).toMatchObject(secrets);

    await scene.patch(agent.id, { tools: [{ ...agent.tools[0], url: 'https://other.example' }] });
    const sentElsewhere = await scene.service().snapshot(asTenantId(scene.tenantId), agent.id);
    expect(sentElsewhere.snapshot.tools[0]).not.toHaveProperty('secret_headers');

    const { llm: shown } = agent.voice_config as { llm: { params: object } };
    const elsewhere = (base_url: string) =>
      scene.patch(agent.id, { voice_config: { llm: { ...shown, params: { ...shown.params, base_url } } } });
    await elsewhere('https://llm.example/v2');
    const { snapshot } = await scene.service().snapshot(asTenantId(scene.tenantId), agent.id);
    expect(snapshot.voice_config).toMatchObject({ llm: { params: { api_key: 'hush-key' } } });
    await elsewhere('https://other.example/v1');
    const moved = await scene.service().snapshot(asTenantId(scene.tenantId), agent.id);
    expect(moved.snapshot.voice_config).not.toMatchObject({ llm: { params: { api_key: 'hush-key' } } });

    await scene.patch(agent.id, { tools: [{ ...agent.tools[0], name: 'other' }] });
    const later = await scene.service().snapshot(asTenantId(scene.tenantId), agent.id);
    expect(later.snapshot.tools[0]).not.toHaveProperty('secret');
  });

  it('show the names of headers, of which each can be kept, replaced and removed', async () => {
    const secret_headers = { authorization: 'Bearer hush', 'x-key': 'hush-key', 'x-team': 'hush-team' };
    const agent = await scene.create({ tools: [{ ...tool, secret_headers }] });
    expect(agent.tools[0]).toMatchObject({ secret_header_names: ['authorization', 'x-key', 'x-team'] });
    const given = { authorization: null, 'x-key': 'new' };
    const changed = await scene.patch(agent.id, { tools: [{ ...agent.tools[0], secret_headers: given }] });
    expect(changed.text).not.toContain('hush');
    expect(changed.json).toMatchObject({ tools: [{ secret_header_names: ['authorization', 'x-key'] }] });
    const headersOf = async () =>
      (await scene.service().snapshot(asTenantId(scene.tenantId), agent.id)).snapshot.tools[0];
    expect(await headersOf()).toMatchObject({
      secret_headers: { authorization: 'Bearer hush', 'x-key': 'new' },
    });
    const none = await scene.patch(agent.id, { tools: [{ ...agent.tools[0], secret_headers: {} }] });
    expect(none.json).toMatchObject({ tools: [{ secret_header_names: [] }] });
    expect(await headersOf()).toMatchObject({ secret_headers: {} });
  });

  it('are not kept by a name under which none is stored', async () => {
    const agent = await scene.create({ tools: [tool] });
    const keep = (changes: object) => {
      const secret_headers = { authorization: null };
      return scene.patch(agent.id, { tools: [{ ...agent.tools[0], secret_headers, ...changes }] });
    };
    for (const changes of [
      { url: 'https://other.example' },
      { secret_headers: { 'x-key': null } },
      { secret_headers: { constructor: null } },
      { name: 'other' },
    ]) {
      const { status, json } = await keep(changes);
      expect([status, json]).toMatchObject([
        422,
        { detail: [{ loc: ['body', 'tools', 0, 'secret_headers', expect.any(String)] }] },
      ]);
    }
    expect((await keep({})).status).toBe(200);
  });
});
