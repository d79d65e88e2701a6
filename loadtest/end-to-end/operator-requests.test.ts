import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { runToEnd } from '../system/process.js';
import { Tenant } from '../system/tenant.js';
import { SharedSystem } from './harness/shared-system.js';

let system: SharedSystem;
beforeAll(() => {
  system = new SharedSystem();
});

const operator = (...args: string[]) =>
  runToEnd({ entry: 'infra/dist/cli/operator.js', args, env: { DATA_DIR: system.dataDir } });

it('sets where a tenant’s calls are placed first, and reads it back', async () => {
  const name = `operator ${randomUUID()}`;
  await Tenant.create(system, undefined, { name });
  const { stdout: list } = await operator('GET', '/internal/tenants?limit=500');
  const { tenants } = JSON.parse(list) as { tenants: { id: string; name: string }[] };
  const id = tenants.find((tenant) => tenant.name === name)?.id;

  const set = await operator('PUT', `/internal/tenants/${id}/region`, '{"region": "north"}');
  expect([set.code, JSON.parse(set.stdout)]).toMatchObject([0, { id, region: 'north' }]);

  await operator('PUT', `/internal/tenants/${id}/region`, '{"region": null}');
  const { stdout: read } = await operator('GET', `/internal/tenants/${id}`);
  expect(JSON.parse(read)).toMatchObject({ id, region: null });
});

it('puts a number on the list that binds all tenants, and takes it off', async () => {
  const added = await operator(
    'POST',
    '/internal/compliance/dnc',
    '{"phone_numbers": ["+12125550193"], "note": "asked us by letter"}',
  );
  expect([added.code, JSON.parse(added.stdout)]).toEqual([0, { added: 1, already_listed: 0 }]);
  expect(await operator('DELETE', '/internal/compliance/dnc/+12125550193')).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
});

it('says a refusal, what is wrong with a body, and how it is used', async () => {
  const unknown = await operator('GET', `/internal/tenants/${randomUUID()}`);
  expect([unknown.code, unknown.stdout, unknown.stderr]).toEqual([
    1,
    '',
    expect.stringMatching(/\(404 tenant_not_found\)/),
  ]);
  const notJson = await operator('PUT', `/internal/tenants/${randomUUID()}/region`, '{region: north}');
  expect([notJson.code, notJson.stderr]).toEqual([1, expect.stringMatching(/^The body is not JSON/)]);
  const ofTheApi = await operator('GET', '/api/v1/agents');
  expect([ofTheApi.code, ofTheApi.stderr]).toEqual([2, expect.stringMatching(/^Usage:/)]);
});
