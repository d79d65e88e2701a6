import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findLocalModels } from '@voice/shared/local-models/local-models';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../system/process.js';
import { isOver, Tenant } from '../system/tenant.js';
import { DEPLOYMENT } from './harness/deployment-commands.js';
import { quickAgent } from './harness/quick-agent.js';
import { SharedSystem } from './harness/shared-system.js';
import { type } from './harness/typed-command.js';
import { startAsTyped } from './harness/typed-start.js';

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

const ofTheSystem = () => ({ env: { DATA_DIR: system.dataDir } });

/** A call by `npm run call` on the shared system, to its end. */
const call = (expected: RegExp) => async (command: string) => {
  const { code, output } = await type(command, ofTheSystem()).ended;
  expect(output).toMatch(expected);
  expect(code).toBe(0);
};

const start = (banner: RegExp, ask?: (env: NodeJS.ProcessEnv) => Promise<void>) => (command: string) =>
  startAsTyped(command, { dataDir: newFolder(), banner, ...(ask ? { ask } : {}) });

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
  'npm run operator -- GET /internal/tenants': async (command) => {
    const { code, output } = await type(command, ofTheSystem()).ended;
    expect([code, output]).toEqual([0, expect.stringMatching(/^\{\n {2}"tenants": \[\n {4}\{/m)]);
  },
  [DEPLOYMENT.fillIn]: writes('infra/.env', 0o600),
  [DEPLOYMENT.fillInVendors]: writes('infra/control-plane.env'),
  [DEPLOYMENT.overlay]: writes('infra/kubernetes/mine/kustomization.yaml'),
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

/** Runs where the models are, which only a download brings. */
const FETCH_MODELS = 'npm run models';

/** The commands of a page's shell samples, without comments; those that ask the API are run by guides.test.ts. */
function commandsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh ?\d*\n([\s\S]*?)^```$/gm)]
    .flatMap(([, text]) => text!.replaceAll(/ \\\n\s*/g, ' ').split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '');
}

it('every command of the guides is run here, by guides.test.ts or by guide-deployment.test.ts', async () => {
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
  const run = [...Object.keys(RUN), FETCH_MODELS, ...Object.values(DEPLOYMENT)];
  expect(new Set(commands)).toEqual(new Set(run));
});

it.concurrent.each(Object.entries(RUN))('%s', (command, run) => run(command));

it.runIf(hasModels)(
  'docs/voice-configuration.md: npm run models, npm start, npm run call -- --ears model',
  async () => {
    expect(await type(FETCH_MODELS).ended).toEqual({
      code: 0,
      output: expect.stringMatching(/is installed[\s\S]*The next “npm start” uses them\./),
    });
    const callByModel = async (env: NodeJS.ProcessEnv) => {
      const { code, output } = await type('npm run call -- --ears model', { env }).ended;
      expect([code, output]).toEqual([
        0,
        expect.stringMatching(/Word error rate: [\d.]+ %[\s\S]*Response latency/),
      ]);
    };
    await start(
      new RegExp(`Recogniser +${speechToText!.name} .*\\n +Voice +${textToSpeech!.name} `),
      callByModel,
    )('npm start');
  },
);
