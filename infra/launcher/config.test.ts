import { describe, expect, it } from 'vitest';
import type { KeptSecrets } from '../installation/kept-secrets.js';
import { readConfig } from './config.js';
import { Topology } from './topology.js';

describe('the launcher’s environment', () => {
  it('has defaults for everything', () => {
    const config = readConfig({});
    expect(config).toMatchObject({ port: 8080, mediaPort: 8081, workers: 1, mongodbUri: undefined });
    expect(config.dataDir).toMatch(/\/data$/);
  });

  it('takes an empty variable as not given', () => {
    expect(readConfig({ MONGODB_URI: '', PORT: '' })).toMatchObject({ mongodbUri: undefined, port: 8080 });
  });

  it('names every wrong variable', () => {
    expect(() => readConfig({ PORT: 'eighty', MONGODB_URI: 'mysql://x' })).toThrow(
      /^PORT: expected a number, got 'eighty'\nMONGODB_URI: expected a URI that begins with/,
    );
  });

  it('refuses one public media address for several workers', () => {
    expect(() => readConfig({ MEDIA_PUBLIC_URL: 'wss://media.example', WORKERS: '2' })).toThrow(
      /MEDIA_PUBLIC_URL/,
    );
  });
});

describe('the environment of the processes', () => {
  const secrets: KeptSecrets = {
    instance_id: 'abcd',
    internal_secret: 'kept-internal',
    secrets_key: 'kept-key',
    simulated_carrier_account_sid: 'AC1',
    simulated_carrier_auth_token: 'token',
  };
  const topology = (env: NodeJS.ProcessEnv) =>
    new Topology({ root: '/root', config: readConfig(env), secrets });

  it('hands the environment on, but not the launcher’s own variables', () => {
    const { env } = topology({ PORT: '9000', WORKER_CAPACITY: '7' }).worker(2, {
      controlPlaneUrl: 'http://127.0.0.1:9000',
    });
    expect(env).toMatchObject({ WORKER_CAPACITY: '7', MEDIA_PORT: '0' });
    expect(env.PORT).toBeUndefined();
  });

  it('puts the simulated carrier where it is asked for, else at a free port', () => {
    expect(topology({}).carrier().env.SIMULATED_CARRIER_PORT).toBe('0');
    expect(topology({ SIMULATED_CARRIER_PORT: '9182' }).carrier().env.SIMULATED_CARRIER_PORT).toBe('9182');
  });

  it('gives vendors’ keys to the control plane alone', () => {
    const made = topology({ DEEPGRAM_API_KEY: 'k', TWILIO_AUTH_TOKEN: 't' });
    const plane = made.controlPlane(1, {
      port: 1,
      mongodbUri: 'mongodb://x',
      carrierUrl: 'http://127.0.0.1:2',
    });
    expect(plane.env).toMatchObject({ DEEPGRAM_API_KEY: 'k', TWILIO_AUTH_TOKEN: 't' });
    for (const { env } of [made.store(), made.carrier(), made.worker(1, { controlPlaneUrl: 'http://x' })]) {
      expect(env).not.toHaveProperty('DEEPGRAM_API_KEY');
      expect(env).not.toHaveProperty('TWILIO_AUTH_TOKEN');
    }
  });

  it('gives both planes one secret: the given one, else the kept one', () => {
    for (const [env, secret] of [
      [{}, 'kept-internal'],
      [{ INTERNAL_SECRET: 'a-secret-of-the-operator' }, 'a-secret-of-the-operator'],
    ] as const) {
      const made = topology(env);
      const plane = made.controlPlane(1, {
        port: 1,
        mongodbUri: 'mongodb://x',
        carrierUrl: 'http://127.0.0.1:2',
      });
      expect(plane.env.INTERNAL_SECRET).toBe(secret);
      expect(made.worker(1, { controlPlaneUrl: 'http://x' }).env.INTERNAL_SECRET).toBe(secret);
    }
  });

  it('names a worker the same after a restart, so that it finds its spool', () => {
    const id = () => topology({}).worker(1, { controlPlaneUrl: 'http://x' }).env.WORKER_ID;
    expect(id()).toMatch(/^[\w.-]+-abcd-1$/);
    expect(id()).toBe(id());
  });
});
