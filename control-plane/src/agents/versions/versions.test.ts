import { describe, expect, it } from 'vitest';
import { agentModel } from '../model.js';
import { AgentsScene, MINIMAL } from '../testing/agents-scene.js';
import { agentVersionModel } from './model.js';
import { KEPT_VERSIONS } from './versions.js';

const scene = new AgentsScene();

const ask = async (method: string, path: string, body?: unknown, by = scene.key) => {
  const { status, json } = await scene.plane.request(method, `/api/v1${path}`, {
    key: by,
    ...(body === undefined ? {} : { body }),
  });
  return { status, json: json as Record<string, unknown> };
};
const SECRET_TOOL = {
  type: 'http',
  name: 'book',
  url: 'https://example.com/book',
  method: 'POST',
  secret_headers: { authorization: 'Bearer of-the-first' },
};

/** An agent that was saved three times. */
async function thrice(): Promise<string> {
  const { json } = await ask('POST', '/agents', { ...MINIMAL, name: 'First', tools: [SECRET_TOOL] });
  const id = String(json.id);
  await ask('PATCH', `/agents/${id}`, { name: 'Second', turn_taking: { min_endpointing_ms: 321 } });
  await ask('PATCH', `/agents/${id}`, { name: 'Third', tools: [] });
  return id;
}

describe('versions of an agent', () => {
  it('are one for every save, the newest first, with what each changed', async () => {
    const id = await thrice();
    expect(await ask('GET', `/agents/${id}`)).toMatchObject({ json: { version: 3, name: 'Third' } });
    const { json } = await ask('GET', `/agents/${id}/versions`);
    expect(json).toMatchObject({
      versions: [
        { version: 3, is_current: true, name: 'Third', changed: ['name', 'tools'] },
        {
          version: 2,
          is_current: false,
          name: 'Second',
          changed: ['name', 'turn_taking.min_endpointing_ms'],
        },
        { version: 1, is_current: false, name: 'First', changed: [] },
      ],
      has_more: false,
      next_cursor: null,
    });
  });

  it('come in pages, each once', async () => {
    const id = await thrice();
    const seen: unknown[] = [];
    let cursor: unknown = '';
    for (let page = 0; page < 4 && cursor !== null; page++) {
      const query = cursor === '' ? '' : `&cursor=${cursor}`;
      const { json } = await ask('GET', `/agents/${id}/versions?limit=1${query}`);
      seen.push(...(json.versions as { version: number }[]).map(({ version }) => version));
      cursor = json.next_cursor;
    }
    expect([seen, cursor]).toEqual([[3, 2, 1], null]);
  });

  it('are read whole, without secrets', async () => {
    const id = await thrice();
    const { json } = await ask('GET', `/agents/${id}/versions/1`);
    expect(json).toMatchObject({ version: 1, settings: { name: 'First', tools: [{ name: 'book' }] } });
    expect(JSON.stringify(json)).not.toContain('of-the-first');
  });

  it('are compared with the one in force, or with another', async () => {
    const id = await thrice();
    expect(await ask('GET', `/agents/${id}/versions/1/diff?to=2`)).toMatchObject({
      json: {
        from: 1,
        to: 2,
        changes: [
          { path: 'name', before: 'First', after: 'Second' },
          { path: 'turn_taking.min_endpointing_ms', after: 321 },
        ],
      },
    });
    const { json } = await ask('GET', `/agents/${id}/versions/2/diff`);
    expect(json).toMatchObject({ from: 2, to: 3, changes: [{ path: 'name' }, { path: 'tools', after: [] }] });
  });

  it('are restored as a new version; the switch stays as it is', async () => {
    const id = await thrice();
    await ask('DELETE', `/agents/${id}`);
    const { status, json } = await ask('POST', `/agents/${id}/versions/2/restore`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      version: 5,
      name: 'Second',
      is_active: false,
      turn_taking: { min_endpointing_ms: 321 },
      tools: [{ name: 'book' }],
    });
    const { json: diff } = await ask('GET', `/agents/${id}/versions/2/diff`);
    expect(diff.changes).toEqual([{ path: 'is_active', before: true, after: false }]);
  });

  it('keep a secret that the agent still has, and bring none back', async () => {
    const made = await ask('POST', '/agents', { ...MINIMAL, tools: [SECRET_TOOL] });
    const id = String(made.json.id);
    await ask('PATCH', `/agents/${id}`, { name: 'Renamed' });
    await ask('POST', `/agents/${id}/versions/1/restore`);
    const kept = await agentModel(await scene.store.connect())
      .findById(id)
      .orFail();
    expect(kept.secrets).not.toBeNull();
    await ask('PATCH', `/agents/${id}`, { tools: [] });
    await ask('POST', `/agents/${id}/versions/1/restore`);
    expect(
      await agentModel(await scene.store.connect())
        .findById(id)
        .orFail(),
    ).toMatchObject({ secrets: null });
  });

  it('refuse a version that there is not, of a tenant that there is not', async () => {
    const id = await thrice();
    const { key: another } = await scene.plane.newKey();
    expect(await ask('GET', `/agents/${id}/versions/4`)).toMatchObject({
      status: 404,
      json: { code: 'agent_version_not_found' },
    });
    for (const path of ['', '/1', '/1/diff']) {
      expect(await ask('GET', `/agents/${id}/versions${path}`, undefined, another)).toMatchObject({
        status: 404,
        json: { code: 'agent_not_found' },
      });
    }
    expect(await ask('POST', `/agents/${id}/versions/1/restore`, undefined, another)).toMatchObject({
      status: 404,
    });
    expect(await ask('GET', `/agents/${id}/versions/0`)).toMatchObject({ status: 422 });
  });

  it('refuse to restore what can no longer be used', async () => {
    const id = await thrice();
    const versions = agentVersionModel(await scene.store.connect());
    const { definition } = await versions.findById(`${id}/1`).orFail();
    const gone = {
      type: 'transfer_to_agent',
      agents: [{ agent_id: '0198f0c4-1a2b-7c3d-8e4f-5a6b7c8d9e0f', name: 'gone', description: '' }],
    };
    const unusable = { ...JSON.parse(definition), tools: [gone] };
    await versions.updateOne({ _id: `${id}/1` }, { $set: { definition: JSON.stringify(unusable) } });
    expect((await ask('POST', `/agents/${id}/versions/1/restore`)).status).toBe(422);
    expect(await ask('GET', `/agents/${id}`)).toMatchObject({ json: { version: 3, name: 'Third' } });
  });

  it('lose none when two save at the same time', async () => {
    const id = await thrice();
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map((name) => ask('PATCH', `/agents/${id}`, { name })));
    const { json } = await ask('GET', `/agents/${id}/versions`);
    const versions = json.versions as { version: number; name: string }[];
    expect(versions.map(({ version }) => version)).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(new Set(versions.slice(0, 4).map(({ name }) => name))).toEqual(new Set(names));
  });

  it('are kept to the last hundred beside the one in force', async () => {
    const id = await thrice();
    const agents = agentModel(await scene.store.connect());
    await agents.updateOne({ _id: id }, { $set: { revision: KEPT_VERSIONS + 2 } });
    await ask('PATCH', `/agents/${id}`, { name: 'Later' });
    expect((await ask('GET', `/agents/${id}/versions/2`)).status).toBe(404);
    expect((await ask('GET', `/agents/${id}/versions/${KEPT_VERSIONS + 2}`)).status).toBe(200);
  });
});
