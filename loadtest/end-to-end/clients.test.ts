import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NotFoundError, Voice, verifyWebhook } from '@voice/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../system/process.js';
import { Tenant } from '../system/tenant.js';
import { quickAgent } from './harness/quick-agent.js';
import { SharedSystem } from './harness/shared-system.js';

/** Answers, listens, and hangs up after a moment. */
const PERSON = '+15005550013';
const FROM = '+15005550100';
const NODE = `${ROOT}node_modules/node/bin/node`;
const CLI = `${ROOT}clients/typescript/dist/cli/main.js`;

let system: SharedSystem;
let tenant: Tenant;
let voice: Voice;
let folder: string;

beforeAll(async () => {
  system = new SharedSystem();
  tenant = await Tenant.create(system, { ...quickAgent, first_message: 'Hello, how are you?' });
  voice = new Voice({ apiKey: tenant.key, baseUrl: system.apiUrl });
  folder = mkdtempSync(join(tmpdir(), 'voice-clients-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a program with the key in its environment. */
function start(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(command, args, {
    cwd: folder,
    env: {
      ...process.env,
      XDG_CONFIG_HOME: folder,
      VOICE_API_KEY: tenant.key,
      VOICE_API_URL: system.apiUrl,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  let wake = () => {};
  child.stdout.on('data', (data) => {
    stdout += data;
    wake();
  });
  child.stderr.on('data', (data) => (stderr += data));
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return {
    ended,
    stdout: () => stdout,
    /** Resolves with more output; rejects when the program has ended. */
    more: () =>
      Promise.race([
        new Promise<void>((resolve) => {
          wake = resolve;
        }),
        ended.then(() => Promise.reject(new Error(`it ended: ${stdout}${stderr}`))),
      ]),
    interrupt: () => child.kill('SIGINT'),
  };
}

/** Runs a program to its end. */
const run = (...program: Parameters<typeof start>) => start(...program).ended;

describe.concurrent('the TypeScript client', () => {
  it('places a call, follows it to its end, listens, and gets the recording', async ({ onTestFailed }) => {
    onTestFailed(() => console.error(system.tail()));
    const { id } = await voice.calls.create({
      agent_id: tenant.agentId,
      from_number: FROM,
      to_number: PERSON,
    });
    const listened = (async () => {
      let bytes = 0;
      for await (const { pcm, sampleRate } of voice.calls.listen(id))
        bytes += sampleRate === 8000 ? pcm.length : 0;
      return bytes;
    })();
    const spoken: string[] = [];
    let end: string | undefined;
    for await (const event of voice.calls.follow(id)) {
      if (event.type === 'turn') spoken.push(event.turn.text);
      if (event.type === 'status') end = event.end_reason;
    }
    expect(spoken).toContain('Hello, how are you?');
    expect(end).toBe('caller_hangup');
    expect(await listened).toBeGreaterThan(8000);
    const wav = await eventually(() => voice.calls.recording(id, { format: 'wav' }));
    expect(Buffer.from(wav.subarray(0, 4)).toString('latin1')).toBe('RIFF');
    const ids = await voice.calls.list({ limit: 1 }).all();
    expect(ids.map((call) => call.id)).toContain(id);
  });

  it('talks to an agent by audio, and answers its marks', async () => {
    const session = await voice.testSessions.talk(tenant.agentId);
    const seen = new Set<string>();
    let bytes = 0;
    for await (const event of session) {
      seen.add(event.type);
      if (event.type === 'audio') bytes += event.pcm.length;
      // What was heard whole is a turn: the marks were answered.
      if (event.type === 'turn') {
        expect(event.turn).toMatchObject({ heard_text: event.turn.text, interrupted: false });
        session.stop();
      }
    }
    expect([...seen]).toEqual(expect.arrayContaining(['started', 'audio', 'turn', 'ended']));
    expect(bytes).toBeGreaterThan(16_000);
  });

  it('writes to an agent', async () => {
    const events: string[] = [];
    for await (const { event } of voice.testSessions.text(tenant.agentId, { message: 'Hello' }))
      events.push(event);
    expect(events).toEqual(expect.arrayContaining(['session', 'message', 'done']));
  });

  it('makes a campaign of a CSV file', async () => {
    const made = await voice.campaigns.upload('phone,first_name\n+15005550013,Ada\n', {
      agent_id: tenant.agentId,
      campaign_name: 'May',
    });
    expect(await voice.campaigns.contacts(made.campaign_id).all()).toHaveLength(1);
  });

  it('throws what the API refuses', async () => {
    const refused = voice.calls.get('0198f0c4-1a2b-7c3d-8e4f-5a6b7c8d9e0f');
    await expect(refused).rejects.toBeInstanceOf(NotFoundError);
    await expect(refused).rejects.toMatchObject({ code: 'call_not_found', requestId: expect.any(String) });
  });
});

async function eventually<Result>(ask: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof NotFoundError) || tries > 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

describe('the command voice', () => {
  const cli = (...args: string[]) => run(NODE, [CLI, ...args]);

  it('keeps agents as files, and makes the agents what the files say', async () => {
    const [path] = await pulled();
    expect(await cli('agents', 'push')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^the same/),
    });
    writeFileSync(path, readFileSync(path, 'utf8').replace('Hello, how are you?', 'Good day.'));
    expect((await cli('agents', 'push', '--dry-run')).stdout).toMatch(/^would update .*\(first_message\)/);
    expect((await cli('agents', 'push')).stdout).toMatch(/^updated .*\(first_message\)/);
    expect((await voice.agents.get(tenant.agentId)).first_message).toBe('Good day.');

    async function pulled(): Promise<[string]> {
      expect(await cli('agents', 'pull')).toMatchObject({ code: 0 });
      const [name] = readdirSync(join(folder, 'agents'));
      return [join(folder, 'agents', name!)];
    }
  });

  it('places a call and shows what is said, as it is said', async () => {
    const { code, stdout } = await cli('call', PERSON, '--agent', tenant.agentId, '--from', FROM, '--follow');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/agent: [\s\S]*· COMPLETED \(caller_hangup\)/)]);
    const id = stdout.split('\n')[0]!;
    expect((await cli('logs', id)).stdout).toMatch(/^agent: /);
  });

  it('forwards webhooks to localhost as a URL gets them, and leaves nothing behind', async () => {
    const received: { readonly body: string; readonly signature: string }[] = [];
    const local = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString('utf8');
      received.push({ body, signature: String(request.headers['x-service-signature']) });
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => {
      local.listen(0, '127.0.0.1', resolve);
    });
    const { port } = local.address() as AddressInfo;
    const args = ['webhooks', 'listen', '--forward-to', `http://127.0.0.1:${port}/hooks`];
    const listening = start(NODE, [CLI, ...args, '--events', 'agent.deactivated']);
    const said = async (text: RegExp) => {
      while (!text.test(listening.stdout())) await listening.more();
      return text.exec(listening.stdout())!;
    };
    const [, secret] = await said(/^Signing secret: (whsec_.+)$/m);
    await said(/^Listening for agent\.deactivated and forwarding to/m);
    const { id } = await voice.agents.create({ ...quickAgent, name: 'Off' });
    await voice.agents.update(id, { is_active: false });
    await said(/agent\.deactivated {2}[\w-]{36} {2}→ 204 \(\d+ ms\)/);
    expect(verifyWebhook({ ...received[0]!, secret: secret! })).toMatchObject({
      event_type: 'agent.deactivated',
      data: { agent_id: id },
    });
    listening.interrupt();
    expect(await listening.ended).toMatchObject({ code: 0, stderr: '' });
    local.close();
  });

  it('says what is wrong in one line', async () => {
    const refused = await run(NODE, [CLI, 'agents', 'list'], {
      VOICE_API_KEY: 'sk_test_nobody',
    });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^voice: .+ \(request [\w-]+\)\n$/);
  });
});

const hasPython = spawnSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 11)']).status === 0;
if (!hasPython) console.warn('!!! no python3 of at least 3.11: the Python client is SKIPPED');

describe.runIf(hasPython)('the Python client', () => {
  it('places a call, follows it to its end, and gets the recording', async () => {
    const program = `
import sys, time
sys.path.insert(0, ${JSON.stringify(`${ROOT}clients/python`)})
from voice_agents import NotFoundError, Voice
voice = Voice()
call = voice.calls.create(agent_id="${tenant.agentId}", from_number="${FROM}", to_number="${PERSON}")
for event in voice.calls.follow(call["id"]):
    if event["type"] == "turn": print(event["turn"]["role"], event["turn"]["text"])
    if event["type"] == "status": print(event["status"])
for _ in range(200):
    try: print(voice.calls.recording(call["id"], "wav")[:4]); break
    except NotFoundError: time.sleep(0.2)
print(voice.calls.get(call["id"])["status"], len(voice.calls.list(limit=1).all(1)))
print([name for name, _ in voice.test_sessions.text("${tenant.agentId}", message="Hello")][-1])
`;
    const { code, stdout, stderr } = await run('python3', ['-c', program]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/agent [\s\S]*COMPLETED\nb'RIFF'\nCOMPLETED 1\ndone\n$/);
  });

  it('talks to an agent by audio: is heard, hears it, and answers its marks', async () => {
    const program = `
import io, math, struct, sys, time, wave
sys.path.insert(0, ${JSON.stringify(`${ROOT}clients/python`)})
from voice_agents import NotFoundError, Voice
voice, audio, seen = Voice(), 0, set()
tone = struct.pack("<16000h", *(int(9000 * math.sin(i * 0.2)) for i in range(16000)))
with voice.test_sessions.talk("${tenant.agentId}") as session:
    for event in session:
        seen.add(event["type"])
        if event["type"] == "audio": audio += len(event["pcm"])
        if event["type"] == "turn" and event["turn"]["role"] == "agent" and "spoken" not in seen:
            # What was heard whole is a turn: the marks were answered.
            print(event["turn"]["interrupted"], event["turn"]["heard_text"] == event["turn"]["text"])
            seen.add("spoken")
            for at in range(0, len(tone), 640):
                session.send(tone[at:at + 640])
                time.sleep(0.02)
            session.stop()
print(sorted(seen & {"started", "audio", "ended"}), audio > 16000)
for _ in range(200):
    try: wav = wave.open(io.BytesIO(voice.calls.recording(session.id, "wav"))); break
    except NotFoundError: time.sleep(0.2)
samples = struct.unpack(f"<{wav.getnframes() * 2}h", wav.readframes(wav.getnframes()))
print("the caller is", "heard" if max(samples[::2]) > 5000 else "not heard")
`;
    const { code, stdout, stderr } = await run('python3', ['-c', program]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe("False True\n['audio', 'ended', 'started'] True\nthe caller is heard\n");
  });
});
