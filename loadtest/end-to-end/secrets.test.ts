import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LaunchedSystem } from '../system/launched-system.js';
import { runToEnd } from '../system/process.js';
import { Tenant } from '../system/tenant.js';

const dataDir = mkdtempSync(join(tmpdir(), 'voice-e2e-'));
let system: LaunchedSystem | undefined;
let tenant: Tenant;

beforeAll(async () => {
  system = await LaunchedSystem.start({ DATA_DIR: dataDir });
  tenant = await Tenant.create(system);
  expect((await tenant.request('POST', '/api/v1/webhooks', { url: 'https://example.com/' })).status).toBe(
    201,
  );
});
afterAll(() => system?.stop());

/** Stops the system and starts it with other variables, on the same data. */
async function restart(env: NodeJS.ProcessEnv): Promise<void> {
  await system!.launcher.stop();
  system = await LaunchedSystem.start({ DATA_DIR: dataDir, ...env });
}
const secrets = (command: string) =>
  runToEnd({ entry: 'infra/dist/cli/secrets.js', args: [command], env: { DATA_DIR: dataDir } });

describe('npm run secrets', () => {
  it('changes the key of a running installation, whose earlier key is not needed afterwards', async () => {
    const kept = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as { secrets_key: string };
    const key = randomBytes(32).toString('hex');
    await restart({ SECRETS_KEY: key, SECRETS_KEYS_OLD: kept.secrets_key });
    expect((await secrets('status')).stdout).toMatch(/^Nothing was sealed anew/);
    const rotated = await secrets('rotate');
    expect([rotated.code, rotated.stdout]).toEqual([
      0,
      expect.stringMatching(/^All is sealed under the key [0-9a-f]{8} \([1-9]\d* anew\)/),
    ]);
    await restart({ SECRETS_KEY: key });
    const store = await fetch(`${system!.apiUrl}/api/v1/agents/${tenant.agentId}`, {
      headers: { authorization: `Bearer ${tenant.key}` },
    });
    expect(store.status).toBe(200);
    expect((await secrets('rotate')).stdout).toMatch(/\(0 anew\)/);
  });

  it('prints a new key alone on standard output', async () => {
    expect((await secrets('new-key')).stdout).toMatch(/^[0-9a-f]{64}$/);
  });

  it('says what it does not know', async () => {
    const { code, stderr } = await secrets('rotat');
    expect(code).toBe(2);
    expect(stderr).toContain('there is no command “rotat”');
  });
});
