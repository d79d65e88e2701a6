import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findLocalModels } from '@voice/shared/local-models/local-models';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { INHERITED, ROOT } from '../system/process.js';
import { isOver, Tenant } from '../system/tenant.js';
import { quickAgent } from './harness/quick-agent.js';
import { SharedSystem } from './harness/shared-system.js';

const { speechToText, textToSpeech } = findLocalModels({});
const hasModels = speechToText !== undefined && textToSpeech !== undefined;
if (!hasModels) {
  console.warn(
    '!!! no local models: the guides’ set-up of them is SKIPPED; “npm run models”, then “npm test -- guide-commands”',
  );
}

let system: SharedSystem;
let tenant: Tenant;
/** Where a command writes that writes beside the sources. */
let copy: string;
const folders: string[] = [];
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-guide-'));
  folders.push(folder);
  return folder;
};

beforeAll(async () => {
  system = new SharedSystem();
  tenant = await Tenant.create(system, quickAgent);
  copy = newFolder();
  for (const part of ['docker', 'kubernetes']) {
    mkdirSync(join(copy, 'infra'), { recursive: true });
    cpSync(join(ROOT, 'infra', part), join(copy, 'infra', part), { recursive: true });
  }
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Where {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** Runs a command in a shell as a reader types it, with all that it starts in a group of its own. */
function type(command: string, { env = {}, cwd = ROOT }: Where = {}) {
  const child = spawn('sh', ['-c', command], {
    cwd,
    env: { ...INHERITED, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  const look = new Set<() => void>();
  const keep = (data: Buffer) => {
    output += data.toString();
    for (const again of look) again();
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, output }));
  });
  /** Resolves when the output has such a part; rejects when the command ends without one. */
  const said = (pattern: RegExp) =>
    Promise.race([
      new Promise<void>((resolve) => {
        const again = () => pattern.test(output) && resolve();
        look.add(again);
        again();
      }),
      ended.then(() => expect(output).toMatch(pattern)),
    ]);
  return { ended, said, interrupt: () => process.kill(-child.pid!, 'SIGINT') };
}

const ofTheSystem = () => ({ env: { DATA_DIR: system.dataDir } });

/** A call by `npm run call` on the shared system, to its end. */
const call = (expected: RegExp) => async (command: string) => {
  const { code, output } = await type(command, ofTheSystem()).ended;
  expect(output).toMatch(expected);
  expect(code).toBe(0);
};

/** A whole system by `npm start`, up to its banner; what is asked of it; and stopped as by Ctrl-C. */
const start =
  (banner: RegExp, ask: (env: NodeJS.ProcessEnv) => Promise<void> = async () => {}) =>
  async (command: string) => {
    const env = {
      DATA_DIR: newFolder(),
      PORT: '0',
      MEDIA_PORT: '0',
      // What a test would begin to build, it would not wait for.
      MEDIASOUP_BUILD: 'off',
      OPEN_BROWSER: 'false',
    };
    const running = type(command, { env });
    await running.said(/Ctrl-C drains and stops all\./);
    await ask(env).finally(running.interrupt);
    const { output } = await running.ended;
    expect(output).toMatch(banner);
    expect(output).toContain('launcher: all stopped.');
  };

/** A command that writes into its directory: the file that it makes, and the rights of the file. */
const writes = (path: string, mode?: number) => async (command: string) => {
  expect(await type(command, { cwd: copy }).ended).toEqual({ code: 0, output: '' });
  const made = statSync(join(copy, path));
  if (mode !== undefined) expect(made.mode & 0o777).toBe(mode);
};

/** Each command of the guides that asks no API by curl, with what running it must show. */
const RUN: Readonly<Record<string, (command: string) => Promise<void>>> = {
  'npm start': start(/The voice agent platform is up[\s\S]*Vendors +none/),
  'npm run call': call(/^Calling \+15005550006[\s\S]*agent {3}[\s\S]*caller {2}[\s\S]*· completed/m),
  'npm run call -- --person talks_over': call(/caller {2}[\s\S]*\(interrupted; heard: “[\s\S]*· completed/),
  'npm run call -- --person voicemail': call(/caller {2}[\s\S]*· voicemail/),
  'npm run call -- --inbound': call(
    /^\+15005550006 calls \+1\d{10}, which the agent answers[\s\S]*· completed/m,
  ),
  'npm run call -- --inbound --person talks_over': call(
    /which the agent answers[\s\S]*\(interrupted; heard: “/,
  ),
  // Without the models, which only a download brings, the one thing to do is said; with them, see below.
  'npm run call -- --ears model': async (command) => {
    const { code, output } = await type(command, ofTheSystem()).ended;
    expect([code, output]).toEqual([1, expect.stringContaining('Run “npm run models”')]);
  },
  'OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=llama3.2 npm start': start(
    /Vendors +openai at 127\.0\.0\.1:11434 \(llama3\.2\)/,
  ),
  'DEEPGRAM_API_KEY=… OPENAI_API_KEY=… ELEVENLABS_API_KEY=… npm start': start(
    /Vendors +deepgram, openai, elevenlabs\n/,
  ),
  'cp infra/docker/example.env infra/.env && chmod 600 infra/.env': writes('infra/.env', 0o600),
  'cp infra/docker/control-plane.example.env infra/control-plane.env': writes('infra/control-plane.env'),
  'cp -r infra/kubernetes/example infra/kubernetes/mine': writes('infra/kubernetes/mine/kustomization.yaml'),
  'npx voice webhooks listen --forward-to http://localhost:4000/hooks --events call.completed,call.failed':
    async (command) => {
      const receiver = createServer((_request, response) => response.writeHead(204).end());
      await new Promise<void>((resolve) => {
        receiver.listen(0, 'localhost', resolve);
      });
      const { port } = receiver.address() as AddressInfo;
      // The reader's receiver has the port of its own choice.
      const listening = type(command.replace('4000', String(port)), {
        env: { VOICE_API_KEY: tenant.key, VOICE_API_URL: system.apiUrl, XDG_CONFIG_HOME: newFolder() },
      });
      await listening.said(/^Listening for call\.completed, call\.failed and forwarding to/m);
      const callId = await tenant.dial('hangs_up');
      await tenant.untilStatus(callId, isOver, 120_000);
      await listening.said(/call\.completed {2}[\w-]{36} {2}→ 204 \(\d+ ms\)/);
      listening.interrupt();
      await listening.ended;
      receiver.close();
    },
};

/** What no test can run where there is no internet, no engine and no cluster, and what is tested in its place. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'npm run models':
    'downloads 159 MB; infra/models runs it against an index of its own, and where they are: below',
  'ollama pull llama3.2': 'another project’s program',
  'docker compose -f infra/compose.yaml up --build --detach':
    'needs an engine; the file is held to its schema, and CI reads it where there is one',
  'docker compose -f infra/compose.yaml exec control-plane env API_URL=http://127.0.0.1:8080 node infra/dist/cli/key.js --name first':
    'needs an engine; launcher.test.ts runs the command in it',
  'docker build --file infra/docker/Dockerfile --tag registry.example.com/voice-agent-platform:1.0.0 .':
    'needs an engine; a job of CI builds the image where there is one',
  'docker push registry.example.com/voice-agent-platform:1.0.0': 'needs a registry',
  'kubectl apply --kustomize infra/kubernetes/mine':
    'needs a cluster; the overlay is rendered and held to the cluster’s schema',
};

/** The commands of a page's shell samples, without comments; those that ask the API are run by guides.test.ts. */
function commandsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh ?\d*\n([\s\S]*?)^```$/gm)]
    .flatMap(([, text]) => text!.replaceAll(/ \\\n\s*/g, ' ').split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '');
}

it('every command of the guides is run here or by guides.test.ts, or is here with the reason why not', async () => {
  const overview = await (await fetch(`${system.apiUrl}/docs`)).text();
  const guides = new Set([...overview.matchAll(/href="\/docs\/guides\/([\w-]+)"/g)].map(([, name]) => name!));
  expect(guides.size).toBeGreaterThan(10);
  const commands = [...guides]
    .flatMap((name) =>
      readFileSync(join(ROOT, 'docs', `${name}.md`), 'utf8')
        // A request may have lines within its body.
        .replaceAll(/^```sh ?\d*\ncurl[\s\S]*?^```$/gm, (sample) => {
          expect(sample).toContain('$API_URL');
          return '';
        }),
    )
    .flatMap(commandsOf);
  expect(new Set(commands)).toEqual(new Set([...Object.keys(RUN), ...Object.keys(NOT_RUN)]));
});

it.concurrent.each(Object.entries(RUN))('%s', (command, run) => run(command));

it.runIf(hasModels)(
  'docs/voice-configuration.md: npm run models, npm start, npm run call -- --ears model',
  async () => {
    expect(await type('npm run models').ended).toEqual({
      code: 0,
      output: expect.stringMatching(/is installed[\s\S]*The next “npm start” uses them\./),
    });
    const ears = async (env: NodeJS.ProcessEnv) => {
      const { code, output } = await type('npm run call -- --ears model', { env }).ended;
      expect([code, output]).toEqual([
        0,
        expect.stringMatching(/Word error rate: [\d.]+ %[\s\S]*Response latency/),
      ]);
    };
    await start(
      new RegExp(`Ears +${speechToText!.name} .*\\n +Voice +${textToSpeech!.name} `),
      ears,
    )('npm start');
  },
);
