import { createServer } from 'node:net';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { afterEach, describe, expect, it } from 'vitest';
import { keepPassword } from '../embedded-store/access/password.js';
import type { KeptSecrets } from '../installation/kept-secrets.js';
import { stillRuns } from '../installation/process-identity.js';
import { readConfig } from './config.js';
import { GIVE_UP_AFTER } from './restart-policy.js';
import type { SupervisionEvents } from './supervised-process.js';
import { System } from './system.js';
import { SCRIPTS, scriptedRoot } from './testing/scripted-system.js';
import { Topology } from './topology.js';

const secrets: KeptSecrets = {
  instance_id: 'abcd',
  internal_secret: 'i'.repeat(64),
  secrets_key: 's'.repeat(64),
  simulated_carrier_account_sid: `AC${'0'.repeat(32)}`,
  simulated_carrier_auth_token: '1'.repeat(32),
};

/** For processes on a busy machine. */
const WITHIN = { timeout: 60_000 };

/** The delays before restarts have tests of their own; limits on a stop are as they are. */
const withoutBackoff: Clock = {
  ...systemClock,
  schedule: (delayMs, task) => systemClock.schedule(delayMs <= 2000 ? 10 : delayMs, task),
};

const open: { stop(): Promise<void>; remove(): void }[] = [];
afterEach(async () => {
  for (const { stop, remove } of open.splice(0)) {
    await stop();
    remove();
  }
});

function systemOf(scripts: Parameters<typeof scriptedRoot>[0], env: NodeJS.ProcessEnv = {}) {
  const { root, replace, remove } = scriptedRoot(scripts);
  const config = readConfig({ PATH: process.env.PATH, PORT: '0', MEDIA_PORT: '0', DATA_DIR: root, ...env });
  const topology = new Topology({ root, config, secrets });
  keepPassword(topology.storeDir);
  const lines: string[] = [];
  const story: string[] = [];
  const events: SupervisionEvents = {
    onLine: (spec, line) => lines.push(`${spec.name}: ${line}`),
    onDied: (spec, how) => story.push(`${spec.name} died: ${how}`),
    onRestarted: ({ spec }) => story.push(`${spec.name} restarted`),
    onGivenUp: (spec) => story.push(`${spec.name} given up`),
  };
  const system = new System({
    config,
    topology,
    events,
    clock: withoutBackoff,
  });
  open.push({
    stop: () => {
      system.kill();
      return system.stop();
    },
    remove,
  });
  return { system, lines, story, replace };
}

const roles = (system: System) => system.processes.map(({ spec }) => spec.name);

describe('the system', () => {
  it('starts store and carrier, then the control plane, then the workers', async () => {
    const { system } = systemOf({}, { WORKERS: '2' });
    const { apiUrl } = await system.start();
    expect(new Set(roles(system).slice(0, 2))).toEqual(new Set(['store', 'carrier']));
    expect(roles(system)[2]).toBe('control-plane');
    expect(new Set(roles(system).slice(3))).toEqual(new Set(['worker-1', 'worker-2']));
    expect(apiUrl).toBe(`http://127.0.0.1:${system.processes[2]!.port}`);
  });

  it('runs several control planes on one store, and shares the workers out among them', async () => {
    const { system } = systemOf({}, { REPLICAS: '2', WORKERS: '3' });
    await system.start();
    const planes = system.processes.filter(({ spec }) => spec.role === 'control-plane');
    expect(planes.map(({ spec }) => spec.name)).toEqual(['control-plane', 'control-plane-2']);
    expect(planes[1]!.spec.env.PUBLIC_URL).toBe(planes[0]!.spec.env.PUBLIC_URL);
    const workers = system.processes.filter(({ spec }) => spec.role === 'worker');
    const [first, second] = planes.map(({ port }) => `http://127.0.0.1:${port}`);
    expect(Object.fromEntries(workers.map(({ spec }) => [spec.name, spec.env.CONTROL_PLANE_URL]))).toEqual({
      'worker-1': `${first},${second}`,
      'worker-2': `${second},${first}`,
      'worker-3': `${first},${second}`,
    });
    await system.stop();
  });

  it('starts no store where a MongoDB is named', async () => {
    const { system } = systemOf({}, { MONGODB_URI: 'mongodb://db.example/voice' });
    await system.start();
    expect(roles(system)).not.toContain('store');
  });

  it('stops workers first and the store last, and leaves nothing running', async () => {
    const { system, lines } = systemOf({});
    await system.start();
    await system.stop();
    expect(lines.filter((line) => line.endsWith('stopped'))).toEqual([
      'worker-1: stopped',
      'control-plane: stopped',
      'carrier: stopped',
      'store: stopped',
    ]);
    expect(system.processes.filter(stillRuns)).toEqual([]);
  });

  it('gives the last words of a process that does not come up, and stops the others', async () => {
    const { system } = systemOf({ 'control-plane': SCRIPTS.failsToStart });
    await expect(system.start()).rejects.toThrow(/control-plane ended with exit code 1.*PORT 9 is taken/);
    await system.stop();
    expect(system.processes.filter(stillRuns)).toEqual([]);
  });

  it.each(['store', 'carrier', 'control-plane', 'worker'] as const)(
    'starts a %s that was killed again at its port, and leaves the others running',
    async (role) => {
      const { system, story } = systemOf({}, { REPLICAS: '2' });
      await system.start();
      const before = system.processes.map(({ spec, pid, port }) => ({ name: spec.name, pid, port }));
      const victim = system.processes.find(({ spec }) => spec.role === role)!;
      process.kill(victim.pid, 'SIGKILL');
      const { name } = victim.spec;
      await expect.poll(() => story, WITHIN).toEqual([`${name} died: SIGKILL`, `${name} restarted`]);
      const after = system.processes.map(({ spec, pid, port }) => ({ name: spec.name, pid, port }));
      expect(after.map(({ name, port }) => ({ name, port }))).toEqual(
        before.map(({ name, port }) => ({ name, port })),
      );
      expect(after.filter(({ pid }) => !before.some((earlier) => earlier.pid === pid))).toHaveLength(1);
    },
  );

  it('restarts a role on request at its ports, more often than a crash is borne, and counts no crash', async () => {
    const { system, story } = systemOf({}, { WORKERS: '2' });
    await system.start();
    const before = system.processes.map(({ spec, pid, port }) => ({ name: spec.name, pid, port }));
    for (let times = 0; times < GIVE_UP_AFTER; times++) await system.restart('worker');
    const after = system.processes.map(({ spec, pid, port }) => ({ name: spec.name, pid, port }));
    const places = (list: typeof before) => list.map(({ name, port }) => ({ name, port }));
    expect(places(after)).toEqual(places(before));
    const changed = after.filter(({ pid }) => !before.some((earlier) => earlier.pid === pid));
    expect(changed.map(({ name }) => name).sort()).toEqual(['worker-1', 'worker-2']);
    expect(new Set(story)).toEqual(new Set(['worker-1 restarted', 'worker-2 restarted']));
  });

  it('restarts with a process that was prepared for it, at the same port', async () => {
    const { system, lines } = systemOf({});
    await system.start();
    const portOf = (name: string) => system.processes.find(({ spec }) => spec.name === name)?.port;
    const port = portOf('control-plane');
    system.prepare('control-plane', ['data:text/javascript,console.log("was prepared")'], 1);
    await system.restart('control-plane');
    expect(lines).toContain('control-plane: was prepared');
    expect(portOf('control-plane')).toBe(port);
  });

  it('replaces the planes one after another, workers first, and waits for what drains', async () => {
    const { system, lines, story } = systemOf(
      { worker: SCRIPTS.ignoresTermination },
      { WORKERS: '2', REPLICAS: '2' },
    );
    await system.start();
    const before = system.processes.map(({ spec, pid, port }) => ({ name: spec.name, pid, port }));
    const restarted = system.rollingRestart();
    for (const name of ['worker-1', 'worker-2']) {
      await expect.poll(() => lines, WITHIN).toContain(`${name}: draining`);
      expect(lines.filter((line) => line.endsWith(': draining')).at(-1)).toBe(`${name}: draining`);
      process.kill(before.find((process) => process.name === name)!.pid, 'SIGKILL');
      await expect.poll(() => story, WITHIN).toContain(`${name} restarted`);
    }
    await restarted;
    expect(story).toEqual(
      ['worker-1', 'worker-2', 'control-plane', 'control-plane-2'].map((name) => `${name} restarted`),
    );
    const after = system.processes.map(({ spec, pid, port }) => ({ name: spec.name, pid, port }));
    expect(after.map(({ name, port }) => ({ name, port }))).toEqual(
      before.map(({ name, port }) => ({ name, port })),
    );
    const kept = after.filter(({ pid }) => before.some((earlier) => earlier.pid === pid));
    expect(new Set(kept.map(({ name }) => name))).toEqual(new Set(['store', 'carrier']));
  });

  it.each([
    { role: 'worker', broken: 'worker-1' },
    { role: 'control-plane', broken: 'control-plane' },
  ] as const)(
    'leaves the rest as it is where a new $role does not come up',
    async ({ role, broken }) => {
      const { system, story, replace } = systemOf({}, { WORKERS: '2', REPLICAS: '2' });
      await system.start();
      const before = system.processes.map(({ spec, pid }) => ({ name: spec.name, role: spec.role, pid }));
      replace(role, SCRIPTS.failsToStart);
      await expect(system.rollingRestart()).rejects.toThrow(`${broken} does not come up again.`);
      expect(story.at(-1)).toBe(`${broken} given up`);
      const kept = before.filter(
        (process) => process.name !== broken && !(role === 'control-plane' && process.role === 'worker'),
      );
      const after = system.processes.map(({ spec, pid }) => ({ name: spec.name, role: spec.role, pid }));
      expect(after).toEqual(expect.arrayContaining(kept));
      expect(after.map(({ name }) => name)).not.toContain(broken);
      expect(system.isLost).toBe(false);
      replace(role, SCRIPTS.good);
      await system.rollingRestart();
      expect(system.processes.filter(stillRuns)).toHaveLength(before.length);
    },
    120_000,
  );

  it('hurries no worker that drains for its restart when everything is to stop', async () => {
    const { system, lines } = systemOf({ worker: SCRIPTS.ignoresTermination });
    await system.start();
    const worker = system.processes.find(({ spec }) => spec.role === 'worker')!;
    const restarted = system.rollingRestart();
    await expect.poll(() => lines, WITHIN).toContain('worker-1: draining');
    const stopped = system.stop();
    system.hurry();
    await expect.poll(() => lines.filter((line) => line === 'worker-1: draining'), WITHIN).toHaveLength(2);
    process.kill(worker.pid, 'SIGKILL');
    await Promise.all([restarted, stopped]);
    // The restart's request and the haste that was asked for: the stop added none, and started nothing.
    expect(lines.filter((line) => line === 'worker-1: draining')).toHaveLength(2);
    expect(system.processes.filter(stillRuns)).toEqual([]);
  });

  it('restarts on request what it has given up', async () => {
    const { system, story, replace } = systemOf({ worker: SCRIPTS.diesOnceServing });
    await system.start();
    await expect.poll(() => story.at(-1), { timeout: 90_000 }).toBe('worker-1 given up');
    replace('worker', SCRIPTS.good);
    await system.restart('worker');
    expect(story.at(-1)).toBe('worker-1 restarted');
    expect(system.processes.filter(stillRuns)).toHaveLength(4);
  }, 120_000);

  it('kills what does not end when it is asked to restart', async () => {
    const { system, story } = systemOf({ worker: SCRIPTS.ignoresTermination });
    await system.start();
    const before = system.processes.find(({ spec }) => spec.role === 'worker')!;
    await system.restart('worker');
    expect(stillRuns(before)).toBe(false);
    expect(story).toEqual(['worker-1 restarted']);
  });

  it('gives up one that ends ten times within a minute; a worker alone is no reason to stop', async () => {
    const { system, story } = systemOf({ worker: SCRIPTS.diesOnceServing });
    await system.start();
    await expect.poll(() => story.at(-1), { timeout: 90_000 }).toBe('worker-1 given up');
    expect(story.filter((line) => line === 'worker-1 died: exit code 3')).toHaveLength(9);
    expect(system.isLost).toBe(false);
    expect(system.processes.filter(stillRuns)).toHaveLength(3);
  }, 120_000);

  it('is lost when its store ends ten times within a minute', async () => {
    const { system, story } = systemOf({ store: SCRIPTS.diesOnceServing });
    await system.start();
    await expect.poll(() => story.at(-1), { timeout: 90_000 }).toBe('store given up');
    expect(system.isLost).toBe(true);
  }, 120_000);

  it('is not lost while one of two control planes runs', async () => {
    const { system, story } = systemOf({ 'control-plane': SCRIPTS.secondDies }, { REPLICAS: '2' });
    await system.start();
    await expect.poll(() => story.at(-1), { timeout: 90_000 }).toBe('control-plane-2 given up');
    expect(system.isLost).toBe(false);
  }, 120_000);

  it('stops while a process waits to be started again', async () => {
    const { system, story } = systemOf({ worker: SCRIPTS.diesOnceServing });
    await system.start();
    await expect.poll(() => story, WITHIN).toContain('worker-1 died: exit code 3');
    await system.stop();
    expect(system.processes.filter(stillRuns)).toEqual([]);
  });

  it('waits for a worker that drains until it is forced', async () => {
    const { system, lines } = systemOf({ worker: SCRIPTS.ignoresTermination });
    await system.start();
    const stopped = system.stop();
    await expect.poll(() => lines).toContain('worker-1: draining');
    expect(lines).not.toContain('control-plane: stopped');
    system.kill();
    await stopped;
    expect(system.processes.filter(stillRuns)).toEqual([]);
  });

  it('names the variable and the remedy when a port is taken, before anything is started', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const { system } = systemOf({}, { MEDIA_PORT: String(port) });
    await expect(system.start()).rejects.toThrow(`Port ${port} (MEDIA_PORT) is taken.`);
    expect(system.processes).toEqual([]);
    other.close();
  });
});
