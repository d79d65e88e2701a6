import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { BlockList, isIPv4 } from 'node:net';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { nodeOptionsOf } from '@voice/shared/process/young-space';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { declaredVariables } from '../configuration/schemas.js';
import { interpolatedVariables } from './compose-file.js';
import { parseDockerfile } from './dockerfile.js';
import { collect, isObject, parseYaml, type Value, writtenManifests } from './documents.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const declared = await declaredVariables((file) => import(pathToFileURL(join(root, file)).href));
const readBy = (process: string) =>
  new Set([
    ...declared.filter((variable) => variable.process === process).map(({ name }) => name),
    'NODE_ENV',
  ]);
const defaultOf = (name: string, process: string) =>
  declared.find((variable) => variable.name === name && variable.process === process)?.default;
const PLANES = { 'control-plane': 'control plane', 'media-worker': 'worker' } as const;

/** Text of `NAME=value` lines. */
const linesOf = (path: string) =>
  [...read(path).matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name, value]) => [name!, value!]);

type Tree = { readonly [name: string]: Value };
const tree = (value: Value | undefined): Tree => (isObject(value) ? value : {});
const list = (value: Value | undefined): readonly Tree[] => (Array.isArray(value) ? value.map(tree) : []);
const text = (value: Value | undefined) => String(value);

const dockerfile = parseDockerfile(read('infra/docker/Dockerfile'));
const compose = tree(parseYaml(read('infra/compose.yaml'), 'compose.yaml')[0]);
const services = tree(compose.services);
const manifests = writtenManifests(root);
const named = (kind: string, name: string) =>
  tree(
    manifests.find(({ object, kind: its }) => its === kind && tree(object.metadata).name === name)?.object,
  );
const podOf = (workload: Tree) => tree(tree(tree(workload.spec).template).spec);
const workloads = {
  'control-plane': named('Deployment', 'control-plane'),
  'media-worker': named('StatefulSet', 'media-worker'),
};
const containerOf = (plane: keyof typeof PLANES) => list(podOf(workloads[plane]).containers)[0]!;
const kustomizations = manifests.filter(({ kind }) => kind === 'Kustomization');

/** What the generators of the kustomizations make for a name: `[variable, value]`. */
function generated(generator: 'configMapGenerator' | 'secretGenerator', name: string): string[][] {
  return kustomizations.flatMap(({ file, object }) =>
    list(object[generator])
      .filter((entry) => entry.name === name)
      .flatMap(({ literals, envs }) => [
        ...(Array.isArray(literals) ? literals : []).map((line) => text(line).split(/=(.*)/s).slice(0, 2)),
        ...(Array.isArray(envs) ? envs : []).flatMap((path) => linesOf(join(file, '..', text(path)))),
      ]),
  );
}

describe('what the image is built from', () => {
  const copied = dockerfile
    .filter(({ name, value }) => name === 'COPY' && !value.includes('--from='))
    .flatMap(({ value }) => value.split(/\s+/).slice(0, -1));
  const allowed = read('infra/docker/Dockerfile.dockerignore')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));

  it('is let into the build’s context', () => {
    expect(
      copied.filter((path) => !allowed.some((own) => path === own || path.startsWith(`${own}/`))),
    ).toEqual([]);
  });

  it('has each file of the root that is compiled with the folders in it', () => {
    const folders = copied.filter(
      (path) => existsSync(join(root, path, 'package.json')) || path === 'clients',
    );
    expect(folders).toContain('infra');
    const sources = folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.m?ts$|\.mjs$/.test(file) && !/(^|\/)(node_modules|dist)\//.test(file))
        .map((file) => join(root, folder, file)),
    );
    const ofTheRoot = sources.flatMap((source) =>
      [...readFileSync(source, 'utf8').matchAll(/^(?:import|export|\}) .*from '(\.\.?\/[^']+\.mjs)';$/gm)]
        .map(([, path]) => relative(root, join(dirname(source), path!)))
        .filter((path) => !path.includes('/')),
    );
    expect(ofTheRoot).toContain('.dependency-cruiser.mjs');
    expect(ofTheRoot.filter((path) => !copied.includes(path))).toEqual([]);
  });
});

describe('the variables that are set', () => {
  it('are ones that the processes read: in the image', () => {
    const set = dockerfile
      .filter(({ name }) => name === 'ENV')
      .flatMap(({ value }) => [...value.matchAll(/([A-Z_]+)=/g)].map(([, name]) => name!));
    const known = new Set([...readBy('control plane'), ...readBy('worker')]);
    expect(set.length).toBeGreaterThan(5);
    expect(set.filter((name) => !known.has(name))).toEqual([]);
  });

  it.each([
    ['control-plane', 'control plane'],
    ['media-worker-1', 'worker'],
    ['media-worker-2', 'worker'],
  ])('are ones that the processes read: %s of the Compose file', (service, process) => {
    const set = Object.keys(tree(tree(services[service]).environment));
    expect(set.length).toBeGreaterThan(5);
    expect(set.filter((name) => !readBy(process).has(name))).toEqual([]);
  });

  it.each(Object.entries(PLANES))('are ones that the processes read: %s of the cluster', (plane, process) => {
    const container = containerOf(plane as keyof typeof PLANES);
    const set = [
      ...list(container.env).map(({ name }) => text(name)),
      ...generated('configMapGenerator', plane).map(([name]) => name!),
      ...generated('secretGenerator', plane).map(([name]) => name!),
    ];
    expect(set.length).toBeGreaterThan(5);
    // A part of MEDIA_PUBLIC_URL.
    const known = readBy(process).add('MEDIA_GATEWAY_URL');
    expect(set.filter((name) => !known.has(name))).toEqual([]);
  });

  it('hold what the processes cannot start without', () => {
    const needed = (process: string) =>
      declared.filter(({ process: by, isRequired }) => by === process && isRequired).map(({ name }) => name);
    for (const service of ['control-plane', 'media-worker-1', 'media-worker-2']) {
      const set = Object.keys(tree(tree(services[service]).environment));
      expect(set).toEqual(
        expect.arrayContaining(needed(service === 'control-plane' ? 'control plane' : 'worker')),
      );
    }
    const secrets = [
      ...generated('secretGenerator', 'control-plane'),
      ...generated('secretGenerator', 'inter-plane'),
    ];
    expect(secrets.map(([name]) => name)).toEqual(expect.arrayContaining(needed('control plane')));
  });

  it('of the cluster are made of those that stand before them alone', () => {
    for (const plane of ['control-plane', 'media-worker'] as const) {
      const before: string[] = [];
      for (const { name, value } of list(containerOf(plane).env)) {
        const used = [...text(value).matchAll(/\$\((\w+)\)/g)].map(([, other]) => other!);
        expect(
          used.filter((other) => !before.includes(other)),
          text(name),
        ).toEqual([]);
        before.push(text(name));
      }
    }
    expect(
      list(containerOf('media-worker').env).filter(({ value }) => text(value).includes('$(')).length,
    ).toBe(2);
  });

  it('reach no worker that are vendors’ keys', () => {
    const worker = new Set([
      ...Object.keys(tree(tree(services['media-worker-1']).environment)),
      ...list(containerOf('media-worker').env).map(({ name }) => text(name)),
    ]);
    expect([...worker].filter((name) => /API_KEY|AUTH_TOKEN|SECRETS_KEY|MONGODB/.test(name))).toEqual([]);
  });

  it('come from the example’s file, which has no more than those and no secret', () => {
    const example = linesOf('infra/docker/example.env');
    const optional = ['VERSION'];
    expect([...example.map(([name]) => name!), ...optional].sort()).toEqual(interpolatedVariables(compose));
    const filled = [
      ...example,
      ...generated('secretGenerator', 'control-plane'),
      ...generated('secretGenerator', 'inter-plane'),
    ];
    const secrets = filled.filter(([name]) => /SECRET|PASSWORD|TOKEN|_KEY$|SID|URI/.test(name!));
    expect(secrets.length).toBeGreaterThan(10);
    expect(secrets.filter(([, value]) => value !== '')).toEqual([]);
    const own = linesOf('infra/docker/control-plane.example.env').map(([name]) => name!);
    expect(own.filter((name) => !readBy('control plane').has(name))).toEqual([]);
  });
});

describe('ports and paths', () => {
  const ports = {
    http: defaultOf('PORT', 'control plane'),
    media: defaultOf('MEDIA_PORT', 'worker'),
    internal: '8082',
  };
  const SOURCES = {
    'control-plane': 'control-plane/src/platform/health/health.ts',
    'media-worker': 'media-plane/src/http/health-routes.ts',
  };

  it('are those on which the planes listen', () => {
    const open = (plane: keyof typeof PLANES) =>
      Object.fromEntries(
        list(containerOf(plane).ports).map(({ name, containerPort }) => [name, text(containerPort)]),
      );
    expect(open('control-plane')).toEqual({ http: ports.http, internal: ports.internal });
    const webRtc = generated('configMapGenerator', 'media-worker').find(
      ([name]) => name === 'WEBRTC_PORT',
    )![1];
    expect(open('media-worker')).toEqual({ media: ports.media, 'webrtc-udp': webRtc, 'webrtc-tcp': webRtc });
    expect(dockerfile.find(({ name }) => name === 'EXPOSE')!.value.split(' ')).toEqual([
      ports.http,
      ports.media,
      ports.internal,
    ]);
    for (const service of ['media-worker-1', 'media-worker-2']) {
      const { environment, ports: published } = tree(services[service]);
      const port = text(tree(environment).WEBRTC_PORT);
      expect(published).toEqual([`${port}:${port}/udp`, `${port}:${port}/tcp`]);
    }
  });

  it('are probed where the planes answer', () => {
    for (const plane of ['control-plane', 'media-worker'] as const) {
      const container = containerOf(plane);
      const names = list(container.ports).map(({ name }) => name);
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
        const { path, port } = tree(tree(container[probe]).httpGet);
        expect(names, probe).toContain(port);
        expect(read(SOURCES[plane]), `${plane} ${probe}`).toContain(`'${text(path)}'`);
      }
    }
    for (const { object } of manifests.filter(({ kind }) => kind === 'ServiceMonitor')) {
      const plane = text(tree(object.metadata).name) as keyof typeof PLANES;
      const [endpoint] = list(tree(object.spec).endpoints);
      expect(list(containerOf(plane).ports).map(({ name }) => name)).toContain(endpoint!.port);
      expect(read(SOURCES[plane])).toContain(`'${text(endpoint!.path)}'`);
    }
  });

  it('are let through by the policies, the internal one to the planes and Prometheus alone', () => {
    const ingress = (name: string) => list(tree(named('NetworkPolicy', name).spec).ingress);
    const open = (name: string) =>
      ingress(name).flatMap((rule) =>
        list(rule.ports).map(({ port }) => [text(port), rule.from === undefined ? 'all' : 'some']),
      );
    expect(open('control-plane')).toEqual([
      ['8080', 'all'],
      ['8082', 'some'],
    ]);
    expect(open('media-worker')).toEqual([
      ['8081', 'some'],
      ['40000', 'all'],
      ['40000', 'all'],
    ]);
  });

  it('of a worker are public for media streams alone', () => {
    for (const file of ['infra/docker/Caddyfile', 'infra/kubernetes/base/Caddyfile']) {
      const [, pattern] = /path_regexp worker (\S+)/.exec(read(file))!;
      const isPublic = new RegExp(pattern!);
      expect(isPublic.exec('/media-worker-12/streams/twilio')?.slice(1)).toEqual([
        'media-worker-12',
        '/streams/twilio',
      ]);
      for (const path of [
        '/media-worker-1/control/calls',
        '/media-worker-1/metrics',
        '/evil/streams/x',
        '/streams/x',
      ])
        expect(isPublic.test(path), path).toBe(false);
    }
  });

  it('run files that are built', () => {
    const commands = [
      ...collect(compose, (value) =>
        isObject(value) && Array.isArray(value.command) ? [value.command] : [],
      ),
      containerOf('control-plane').command,
      containerOf('media-worker').command,
    ].filter((command): command is string[] => Array.isArray(command) && command[0] === 'node');
    expect(commands.length).toBeGreaterThan(4);
    for (const command of commands) {
      const entry = command.find((word) => word.endsWith('.js'))!;
      expect(existsSync(join(root, entry.replace('/dist/', '/src/').replace(/js$/, 'ts'))), entry).toBe(true);
    }
  });

  it('give Node the options that the launcher gives it', () => {
    const image = JSON.parse(dockerfile.findLast(({ name }) => name === 'CMD')!.value) as Value;
    const expected = {
      'control-plane': ['node', ...nodeOptionsOf('control-plane'), 'control-plane/dist/main.js'],
      'media-worker': ['node', ...nodeOptionsOf('worker'), 'media-plane/dist/main.js'],
    };
    expect([image, tree(services['control-plane']).command]).toEqual(
      Array(2).fill(expected['control-plane']),
    );
    expect(tree(services['media-worker-1']).command).toEqual(expected['media-worker']);
    for (const plane of ['control-plane', 'media-worker'] as const) {
      expect(containerOf(plane).command).toEqual(expected[plane]);
      expect(read('docs/production.md')).toContain(`\`${expected[plane].join(' ')}\``);
    }
  });
});

describe('a stop', () => {
  it('waits for the longest call and what follows it, in the cluster and in the Compose file', async () => {
    const schemas = pathToFileURL(join(root, 'control-plane/src/agents/schemas.ts')).href;
    const { agentSettings } = (await import(schemas)) as { agentSettings: z.ZodObject };
    const longest = agentSettings.shape.max_duration_seconds as z.ZodType;
    const most = 14_400;
    expect([longest.safeParse(most).success, longest.safeParse(most + 1).success]).toEqual([true, false]);
    const drains = [
      text(tree(tree(services['media-worker-1']).environment).WORKER_DRAIN_SECONDS),
      generated('configMapGenerator', 'media-worker').find(([name]) => name === 'WORKER_DRAIN_SECONDS')![1]!,
    ].map(Number);
    for (const seconds of drains) expect(seconds).toBeGreaterThan(most);
    const drain = Math.max(...drains);
    expect(podOf(workloads['media-worker']).terminationGracePeriodSeconds).toBeGreaterThan(drain + 300);
    expect(podOf(named('Deployment', 'media-gateway')).terminationGracePeriodSeconds).toBeGreaterThan(drain);
    const [, hours, minutes] = /^(\d+)h(\d+)m$/.exec(
      text(tree(services['media-worker-1']).stop_grace_period),
    )!;
    expect(Number(hours) * 3600 + Number(minutes) * 60).toBeGreaterThan(drain + 300);
  });
});

describe('every container of the cluster', () => {
  const pods = manifests
    .filter(({ kind }) => ['Deployment', 'StatefulSet'].includes(kind))
    .map(({ object }) => podOf(object));

  it('runs as a number that is not root, with nothing to write but its volumes', () => {
    expect(pods.length).toBe(3);
    for (const pod of pods) {
      expect(tree(pod.securityContext)).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 10001,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(pod.automountServiceAccountToken).toBe(false);
      for (const container of list(pod.containers)) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'], ...(container.name === 'caddy' && { add: ['NET_BIND_SERVICE'] }) },
        });
        expect(tree(tree(container.resources).limits).memory).toBeDefined();
      }
    }
  });
});

describe('the TURN server', () => {
  const command = (services.coturn as { command: string[] }).command;
  const denied = new BlockList();
  for (const word of command) {
    const [, from, to] = /^--denied-peer-ip=([^-]+)-(.+)$/.exec(word) ?? [];
    if (from && to) denied.addRange(from, to, isIPv4(from) ? 'ipv4' : 'ipv6');
  }

  it.each([
    '0.0.0.1',
    '10.1.2.3',
    '100.100.100.200',
    '127.0.0.1',
    '169.254.169.254',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.1.1',
    '198.18.0.1',
    '255.255.255.255',
    '::1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    'fd00:ec2::254',
    'fe80::1',
  ])('relays nothing to %s, to anybody who has its password', (address) => {
    expect(createAddressPolicy([]).allows(address)).toBe(false);
    expect(denied.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')).toBe(true);
  });

  it('takes credentials of one session alone, by the secret that the control plane makes them with', () => {
    const { environment } = services['control-plane'] as { environment: Record<string, string> };
    const secret = '$' + '{TURN_SECRET';
    expect(command).toContain('--use-auth-secret');
    expect(command).toContain(`--static-auth-secret=${secret}}`);
    expect(command.filter((word) => /--(user|lt-cred-mech|no-auth)\b/.test(word))).toEqual([]);
    expect(environment.TURN_SECRET).toContain(secret);
    expect(environment.ICE_SERVERS).not.toContain('credential');
  });

  it('relays to the internet, and speaks to no server', () => {
    for (const address of ['1.1.1.1', '100.63.255.255', '172.32.0.1', '193.0.0.1'])
      expect(denied.check(address, 'ipv4'), address).toBe(false);
    expect(denied.check('2606:4700::1111', 'ipv6')).toBe(false);
    expect(command).toEqual(expect.arrayContaining(['--no-tcp-relay', '--no-multicast-peers']));
  });
});

describe('what stands before the planes', () => {
  it('begins anew with a certificate that it reads at its start', () => {
    const gateway = named('Deployment', 'media-gateway');
    const secrets = collect(gateway, (value) =>
      isObject(value) && isObject(value.secret) ? [text(tree(value.secret).secretName)] : [],
    );
    expect(secrets).toEqual(['media-tls']);
    expect(tree(tree(gateway.metadata).annotations)['secret.reloader.stakater.com/reload']).toBe('media-tls');
  });

  it('lets through the largest file that the API takes', () => {
    const limit = /FILE_LIMIT_BYTES = (\d+) \* 1024 \* 1024/.exec(
      read('control-plane/src/platform/http/csv-upload.ts'),
    )![1];
    const { annotations } = tree(named('Ingress', 'control-plane').metadata);
    const allowed = text(tree(annotations)['nginx.ingress.kubernetes.io/proxy-body-size']);
    expect(Number.parseInt(allowed, 10)).toBeGreaterThan(Number(limit));
    expect(allowed).toMatch(/m$/);
  });
});

describe('the autoscaler', () => {
  it('counts as many places to a worker as a worker has', () => {
    const capacity = generated('configMapGenerator', 'media-worker').find(
      ([name]) => name === 'WORKER_CAPACITY',
    )![1];
    const triggers = list(tree(named('ScaledObject', 'media-worker').spec).triggers);
    expect(triggers.map(({ metadata }) => tree(metadata).threshold)).toEqual([capacity, capacity]);
  });

  it('takes what is not measured for no figure, and falls back', () => {
    const { triggers, fallback } = tree(named('ScaledObject', 'media-worker').spec);
    expect(list(triggers).map(({ metadata }) => tree(metadata).ignoreNullValues)).toEqual(['false', 'false']);
    expect(tree(fallback).behavior).toBe('currentReplicasIfHigher');
  });
});

describe('the image', () => {
  const copied = dockerfile.filter(({ name }) => name === 'COPY').map(({ value }) => value);

  it('is installed from the manifests of all workspaces, which the lock file holds', () => {
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
    expect(workspaces.length).toBeGreaterThan(4);
    expect(workspaces.filter((name) => !copied.includes(`${name}/package.json ${name}/`))).toEqual([]);
  });

  it('has what the planes read beside their code', () => {
    const folders = [
      'control-plane/assets',
      'control-plane/dashboard/dist',
      'control-plane/dist',
      'media-plane/dist',
    ];
    for (const folder of [...folders, 'shared/dist', 'infra/dist'])
      expect(copied).toContain(`--from=build /app/${folder} ${folder}`);
  });

  it('has the Node that package.json pins', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: { node: string } };
    expect(dockerfile.find(({ name }) => name === 'ARG')!.value).toBe(`NODE_VERSION=${dependencies.node}`);
  });
});
