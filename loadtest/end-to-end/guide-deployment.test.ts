import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../system/process.js';
import { DEPLOYMENT } from './harness/deployment-commands.js';
import { type } from './harness/typed-command.js';

/** An image is built, and more of them are fetched. */
const AN_HOUR_MS = 3_600_000;
/** Nothing of an installation that is on this machine already is touched: its project is “voice”. */
const PROJECT = { COMPOSE_PROJECT_NAME: 'voice-test' };

const wanted = process.env.TEST_DEPLOYMENT !== undefined;
const context = process.env.TEST_KUBE_CONTEXT;
/** Where kubectl finds the context, if not in its usual place. */
const KUBECONFIG = process.env.KUBECONFIG === undefined ? {} : { KUBECONFIG: process.env.KUBECONFIG };
const works = async (command: string, env = {}) => wanted && (await type(command, { env }).ended).code === 0;

const engine = await works('docker version');
const compose = engine && (await works('docker compose version'));
const cluster =
  context !== undefined && (await works(`kubectl --context '${context}' get --raw /readyz`, KUBECONFIG));

function skipAloud(what: string, is: boolean, needed: string) {
  if (is) return;
  const how = wanted ? needed : '“npm run test:deployment” runs it where there is one';
  console.warn(`!!! ${what} of the guides: SKIPPED; ${how}`);
}
skipAloud('docker build and docker push', engine, 'no Docker engine answers');
skipAloud('docker compose', compose, 'no Docker engine with the plugin “compose” answers');
skipAloud(
  'kubectl apply',
  cluster,
  'TEST_KUBE_CONTEXT names no context whose cluster answers. Name one whose namespace “voice” may go, with the resources of KEDA and of the Prometheus operator',
);

/** What is written beside the sources is written into a copy of them. */
let copy: string;
const folders: string[] = [];
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-deployment-'));
  folders.push(folder);
  return folder;
};
const MADE = new Set(['.git', '.setup', 'coverage', 'data', 'dist', 'mine', 'node_modules', 'pictures']);

beforeAll(() => {
  if (!(engine || cluster)) return;
  copy = newFolder();
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !MADE.has(basename(path)) });
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A command that ends well, and what it printed. */
async function run(command: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, output } = await type(command, { cwd: copy, env }).ended;
  expect([command, code, code === 0 ? '' : output]).toEqual([command, 0, '']);
  return output;
}

/** Gives each variable of a file that has no value one. */
function fillIn(path: string, values: Readonly<Record<string, string>>, other: () => string) {
  const file = join(copy, path);
  const filled = readFileSync(file, 'utf8').replaceAll(
    /^(\w+)=$/gm,
    (_line, name: string) => `${name}=${values[name] ?? other()}`,
  );
  writeFileSync(file, filled);
}

const secret = () => randomBytes(32).toString('hex');

describe.runIf(engine)('an engine', { timeout: AN_HOUR_MS }, () => {
  it('builds the image, and pushes it to a registry', async () => {
    await run(DEPLOYMENT.build);
    // The reader's registry has a name of its own.
    const registry = (await run('docker run --detach --rm --publish 127.0.0.1::5000 registry:2')).trim();
    try {
      const address = (await run(`docker port ${registry} 5000`)).trim();
      const image = `${address}/voice-agent-platform:1.0.0`;
      await run(`docker tag registry.example.com/voice-agent-platform:1.0.0 ${image}`);
      const pushed = await run(DEPLOYMENT.push.replace('registry.example.com', address));
      expect(pushed).toMatch(/^1\.0\.0: digest: sha256:[\da-f]{64} size: \d+$/m);
      const tags = await fetch(`http://${address}/v2/voice-agent-platform/tags/list`);
      expect(await tags.json()).toEqual({ name: 'voice-agent-platform', tags: ['1.0.0'] });
      await run(`docker image rm ${image}`);
    } finally {
      await run(`docker stop ${registry}`);
    }
  });
});

/** The API behind the proxy of the Compose file, whose certificate for such a name is of its own authority. */
const ask = (host: string, path: string, key: string) =>
  new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${key}` };
    const options = { host: '127.0.0.1', port: 443, servername: host, path, headers };
    request({ ...options, rejectUnauthorized: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.once('end', () => resolve({ status: response.statusCode, body }));
    })
      .once('error', reject)
      .end();
  });

describe.runIf(compose)('an engine with Compose', { timeout: AN_HOUR_MS }, () => {
  it('runs the whole system on one machine, makes a key in it, and serves the API by TLS', async () => {
    // The proxy makes certificates for names that end in “internal” itself.
    const api = 'api.voice.internal';
    await run(DEPLOYMENT.fillIn);
    await run(DEPLOYMENT.fillInVendors);
    const names = { API_DOMAIN: api, MEDIA_DOMAIN: 'media.voice.internal', PUBLIC_ADDRESS: '127.0.0.1' };
    fillIn('infra/.env', { ...names, STORAGE_DOMAIN: 'recordings.voice.internal' }, secret);
    const inTheProject = (command: string) => run(command, PROJECT);
    try {
      await inTheProject(DEPLOYMENT.up);
      const services = async () => {
        const lines = await inTheProject('docker compose -f infra/compose.yaml ps --all --format json');
        return (
          lines
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as { Service: string; State: string; Health: string })
            // Some images have a health check, which has not looked yet for their first seconds.
            .map(
              ({ Service, State, Health }) =>
                `${Service} ${Health === 'healthy' ? Health : `${State}${Health}`}`,
            )
            .sort()
        );
      };
      await expect
        .poll(services, { timeout: 300_000, interval: 1000 })
        .toEqual([
          'caddy running',
          'control-plane healthy',
          'control-plane healthy',
          'coturn running',
          'media-worker-1 healthy',
          'media-worker-2 healthy',
          'mongodb healthy',
          'mongodb-init exited',
          'storage running',
        ]);
      const output = await inTheProject(DEPLOYMENT.key);
      const key = /^sk_live_\S+$/m.exec(output)?.[0] ?? '';
      await expect.poll(async () => (await ask(api, '/api/v1/agents', key)).status).toBe(200);
      expect((await ask(api, '/api/v1/agents', `${key}x`)).status).toBe(401);
    } finally {
      await inTheProject('docker compose -f infra/compose.yaml down --volumes --timeout 20');
    }
  });
});

describe.runIf(cluster)('a cluster', { timeout: AN_HOUR_MS }, () => {
  it('takes every object of the overlay as it stands', async () => {
    // The command as it stands is for the context that is current: here, in a configuration of its own.
    const env = { KUBECONFIG: join(newFolder(), 'config') };
    await run(
      `kubectl config view --raw --minify --flatten --context '${context}' > ${env.KUBECONFIG}`,
      KUBECONFIG,
    );
    await run(`kubectl config use-context '${context}'`, env);
    await run(DEPLOYMENT.overlay);
    for (const file of ['inter-plane', 'control-plane'])
      fillIn(`infra/kubernetes/mine/secrets/${file}.env`, {}, secret);
    try {
      const made = (await run(DEPLOYMENT.apply, env)).trim().split('\n');
      expect(made.length).toBeGreaterThan(20);
      // Of all that the level “baseline” refuses, the pods have only the port of WebRTC.
      expect(made.filter((line) => !/^\S+ (created|configured)$/.test(line))).toEqual([
        expect.stringMatching(
          /^Warning: would violate PodSecurity "baseline:latest": hostPort \(container "media-worker" uses hostPort 40000\)$/,
        ),
      ]);
      // Nothing differs between the overlay and what the cluster has made of it.
      expect(await run('kubectl diff --kustomize infra/kubernetes/mine', env)).not.toMatch(/^[-+]/m);
    } finally {
      await run('kubectl delete namespace voice --wait=false', env);
    }
  });
});
