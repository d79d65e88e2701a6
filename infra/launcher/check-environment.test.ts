import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkEnvironment } from './check-environment.js';
import { readConfig } from './config.js';
import { Topology } from './topology.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const check = (env: NodeJS.ProcessEnv) =>
  checkEnvironment(
    root,
    new Topology({
      root,
      config: readConfig(env),
      secrets: {
        instance_id: 'abcd',
        internal_secret: 'an internal secret that was kept',
        secrets_key: 'a key for secrets at rest that was kept',
        simulated_carrier_account_sid: `AC${'0'.repeat(32)}`,
        simulated_carrier_auth_token: 'a token of the simulated carrier',
      },
    }),
  );

describe('the variables of all processes, before anything starts', () => {
  it('are fine as they are by default', async () => {
    await expect(check({})).resolves.toBeUndefined();
  });

  it.each([
    ['RATE_LIMIT_DEFAULT', '-5'],
    ['RATE_LIMIT_DIAL', '0'],
    ['WORKER_CAPACITY', '-1'],
    ['WORKER_DRAIN_SECONDS', '-1'],
    ['SIMULATED_CARRIER_MEDIA', 'perhaps'],
  ])('are refused by name: %s=%s', async (name, value) => {
    await expect(check({ [name]: value })).rejects.toThrow(name);
  });

  it('are named all at once, of all processes', async () => {
    await expect(check({ RATE_LIMIT_DIAL: '-1', WORKER_CAPACITY: '0' })).rejects.toThrow(
      /RATE_LIMIT_DIAL[\s\S]*WORKER_CAPACITY/,
    );
  });

  it.each([
    ['WORKERS', '0'],
    ['WORKERS', '-1'],
    ['REPLICAS', '0'],
  ])('of the launcher too: %s=%s', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(name);
  });
});
