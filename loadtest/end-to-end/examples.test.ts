import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ROOT } from '../system/process.js';
import { isOver, Tenant } from '../system/tenant.js';
import { quickAgent } from './harness/quick-agent.js';
import { SharedSystem } from './harness/shared-system.js';

/** For calls and deliveries on a busy machine. */
const WITHIN = { timeout: 60_000, interval: 100 };

let system: SharedSystem;
let tenant: Tenant;
const running = new Set<Example>();

beforeAll(async () => {
  system = new SharedSystem();
  // A short greeting makes short calls.
  tenant = await Tenant.create(system, { ...quickAgent, first_message: 'Hello, how are you?' });
});
afterAll(async () => {
  await Promise.all([...running].map((example) => example.stop('SIGKILL')));
});

/** An example that runs as somebody would run it from the root of the clone. */
class Example {
  readonly lines: string[] = [];
  readonly errors: string[] = [];
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;

  constructor(file: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    this.#child = spawn(`${ROOT}node_modules/node/bin/node`, [`examples/${file}`, ...args], {
      cwd: ROOT,
      env: { API_URL: system.apiUrl, API_KEY: tenant.key, AGENT_ID: tenant.agentId, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    createInterface({ input: this.#child.stdout! }).on('line', (line) => this.lines.push(line));
    createInterface({ input: this.#child.stderr! }).on('line', (line) => this.errors.push(line));
    running.add(this);
    this.exited = new Promise((resolve) => {
      this.#child.once('close', (code) => {
        running.delete(this);
        resolve(code);
      });
    });
  }

  /** Resolves with the exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    return this.exited;
  }

  /** The address at which a receiver listens. */
  async address(): Promise<string> {
    await vi.waitFor(() => expect(this.lines[0]).toMatch(/^listening at /), WITHIN);
    return this.lines[0]!.slice('listening at '.length);
  }
}

describe.concurrent('examples/place-call.mjs', () => {
  it('waits for the end of the call and prints what was said', async ({ onTestFailed }) => {
    onTestFailed(() => console.error(system.tail()));
    const example = new Example('place-call.mjs', ['+15005550013']);
    expect([await example.exited, example.errors]).toEqual([0, []]);
    expect(example.lines[0]).toMatch(/^(QUEUED|RINGING)$/);
    expect(example.lines).toContain('agent   Hello, how are you?');
    expect(example.lines.at(-1)).toMatch(/^COMPLETED \(caller_hangup\) after \d+ s$/);
  });

  it('ends with an exit code of its own when nobody can be talked to', async () => {
    const example = new Example('place-call.mjs', ['+15005550010']);
    expect([await example.exited, example.errors]).toEqual([1, []]);
    expect(example.lines.at(-1)).toMatch(/^BUSY \(busy\) after 0 s$/);
  });

  it('says what the API refuses', async () => {
    const example = new Example('place-call.mjs', ['+14155550100']);
    expect(await example.exited).toBe(1);
    expect(example.errors.join('\n')).toContain('sandbox_number_required');
  });
});

describe.concurrent('examples/receive-webhooks.mjs', () => {
  it('prints the events of a call, and unsubscribes when it is stopped', async ({ onTestFailed }) => {
    onTestFailed(() => console.error(system.tail()));
    const example = new Example('receive-webhooks.mjs', ['0']);
    const url = await example.address();
    const callId = await tenant.dial('hangs_up');
    await tenant.untilStatus(callId, isOver, WITHIN.timeout);
    const ofCall = () =>
      example.lines.filter((line) => line.includes(callId)).map((line) => line.split(' ')[0]);
    await vi.waitFor(() => expect(ofCall()).toContain('call.completed'), WITHIN);
    expect(ofCall()).toContain('call.started');
    expect(new Set(ofCall()).size).toBe(ofCall().length);

    const forged = await fetch(url, { method: 'POST', body: '{}', headers: { 'x-service-signature': 'no' } });
    expect(forged.status).toBe(401);
    const subscriptions = async () => (await tenant.request('GET', '/api/v1/webhooks')).json;
    expect(await subscriptions()).toMatchObject([{ url }]);
    expect(await example.stop('SIGTERM')).toBe(0);
    expect(await subscriptions()).toEqual([]);
    expect(example.errors).toEqual(['refused: the signature is not right']);
  });

  it('takes what was signed within 300 s with its secret, once', async () => {
    const secret = 'whsec_of_a_test';
    const example = new Example('receive-webhooks.mjs', ['0'], { WEBHOOK_SECRET: secret });
    const url = await example.address();
    const body = JSON.stringify({ event_id: 'e1', event_type: 'call.started', data: { call_id: 'c1' } });
    const send = async (ageSeconds: number, sent = body, key = secret) => {
      const time = Math.floor(Date.now() / 1000) - ageSeconds;
      const v1 = createHmac('sha256', key).update(`${time}.${body}`).digest('hex');
      const headers = { 'x-service-signature': `t=${time},v1=${v1}` };
      return (await fetch(url, { method: 'POST', body: sent, headers })).status;
    };
    expect(await send(310)).toBe(401);
    expect(await send(-310)).toBe(401);
    expect(await send(0, body, 'whsec_of_another')).toBe(401);
    expect(await send(0, body.replace('c1', 'c2'))).toBe(401);
    expect(await send(290)).toBe(204);
    expect(await send(0)).toBe(204);
    await vi.waitFor(() => expect(example.lines.slice(1)).toEqual(['call.started {"call_id":"c1"}']), WITHIN);
    expect(await example.stop('SIGTERM')).toBe(0);
  });
});

describe.concurrent('examples/run-campaign.mjs', () => {
  it('calls everybody in the file, names the row that is left out, and prints how each call ended', async ({
    onTestFailed,
  }) => {
    onTestFailed(() => console.error(system.tail()));
    const example = new Example('run-campaign.mjs', ['examples/contacts.csv']);
    expect([await example.exited, example.errors]).toEqual([0, []]);
    expect(example.lines[0]).toBe('2 contacts of 3 rows');
    expect(example.lines[1]).toMatch(/^line 4 is left out: /);
    expect(example.lines).toContain('2 completed');
    expect(example.lines.slice(-2).sort()).toEqual([
      '+15005550013 Ann: completed',
      '+15005550013 Ben: completed',
    ]);
  });
});
