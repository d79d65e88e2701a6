import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LiveEvent, liveEvent } from '@voice/shared/contracts/live-events';
import { testerServerMessage } from '@voice/shared/contracts/tester-protocol';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { WebSocket } from 'ws';
import { ROOT } from '../system/process.js';
import { isOver, Tenant } from '../system/tenant.js';
import { quickAgent } from './harness/quick-agent.js';
import { SharedSystem } from './harness/shared-system.js';

/** A sample beyond it is sound, not the noise of an encoding. */
const AUDIBLE = 500;

let system: SharedSystem;
let tenant: Tenant;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'voice-live-'));
  system = new SharedSystem();
  tenant = await Tenant.create(system, { ...quickAgent, silence_timeout_seconds: 3 });
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
});

/** Runs a program as somebody would from the root of the clone. */
async function run(args: readonly string[], env: NodeJS.ProcessEnv) {
  const node = `${ROOT}node_modules/node/bin/node`;
  const child = spawn(node, args, { cwd: ROOT, env: { PATH: process.env.PATH, HOME: directory, ...env } });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  child.stdin.end();
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...output };
}

const access = () => ({ API_URL: system.apiUrl, API_KEY: tenant.key, AGENT_ID: tenant.agentId });
const lines = (text: string) => text.trim().split('\n');

async function link(callId: string) {
  const { json } = await tenant.request('POST', `/api/v1/calls/${callId}/live-link`);
  return json as { live_url: string; listen_url: string };
}

/** Gives the events of a call, each with when it came, until the stream ends. */
async function follow(callId: string): Promise<LiveEvent[]> {
  const events: LiveEvent[] = [];
  const response = await fetch((await link(callId)).live_url);
  expect(response.status).toBe(200);
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    const parts = (text + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n\n');
    text = parts.pop()!;
    for (const part of parts) {
      const data = /^data: (.*)$/m.exec(part)?.[1];
      if (data !== undefined) events.push(liveEvent.parse(JSON.parse(data)));
    }
  }
  return events;
}

describe.concurrent('live streams of a launched system', () => {
  it('stream a call to its end, with the audio of both sides', async () => {
    onTestFailed(() => console.error(system.tail()));
    const callId = await tenant.dial('talks');
    const following = follow(callId);
    const socket = new WebSocket(`${(await link(callId)).listen_url}&channels=stereo`);
    const loud = { caller: 0, agent: 0 };
    const formats: unknown[] = [];
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) formats.push(JSON.parse(data.toString('utf8')));
      else {
        for (let at = 0; at + 3 < data.length; at += 4) {
          if (Math.abs(data.readInt16LE(at)) > AUDIBLE) loud.caller += 1;
          if (Math.abs(data.readInt16LE(at + 2)) > AUDIBLE) loud.agent += 1;
        }
      }
    });
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    const events = await following;
    expect(await closed).toBe(1000);
    expect(formats).toEqual([{ type: 'format', encoding: 'l16', sample_rate: 8000, channels: 2 }]);
    expect(Math.min(loud.caller, loud.agent)).toBeGreaterThan(8000);

    const of = <T extends LiveEvent['type']>(type: T) =>
      events.filter((event): event is Extract<LiveEvent, { type: T }> => event.type === type);
    expect(of('status').map(({ status }) => status)).toEqual([
      'QUEUED',
      'RINGING',
      'IN_PROGRESS',
      'COMPLETED',
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'status', status: 'COMPLETED' });
    const states = new Set(of('state').map(({ state }) => state));
    expect(states).toEqual(new Set(['listening', 'thinking', 'speaking']));
    const interims = of('transcript').filter(({ final }) => !final);
    expect(new Set(interims.map(({ role }) => role))).toEqual(new Set(['caller', 'agent']));
    expect(of('metrics').length).toBeGreaterThan(0);
    // What was followed is what was recorded.
    const turns = new Map(of('turn').map(({ turn }) => [turn.index, turn]));
    const stored = await tenant.untilStatus(callId, isOver, 120_000);
    expect([...turns.values()]).toEqual(stored.transcript);
  });

  it('examples/websocket-session.mjs talks to the agent and keeps what it said', async () => {
    const output = join(directory, 'answer.wav');
    const speech = join(directory, 'speech.wav');
    const tone = Int16Array.from({ length: 16_000 }, (_, i) => 6000 * Math.sin(i * 0.2));
    writeFileSync(speech, Buffer.concat([Buffer.alloc(44), Buffer.from(tone.buffer)]));
    const { code, stdout, stderr } = await run(['examples/websocket-session.mjs', speech, output], {
      ...access(),
      TALK_SECONDS: '10',
    });
    expect([code, stderr]).toEqual([0, '']);
    const messages = lines(stdout)
      .filter((line) => line.startsWith('{'))
      .map((line) => testerServerMessage.parse(JSON.parse(line)));
    expect(messages[0]).toMatchObject({ type: 'started', encoding: 'pcm16', sample_rate: 16_000 });
    expect(messages.at(-1)).toMatchObject({ type: 'ended' });
    expect(messages.filter(({ type }) => type === 'ended')).toHaveLength(1);
    const types = new Set(messages.map(({ type }) => type));
    for (const type of ['state', 'transcript', 'turn'] as const) expect(types).toContain(type);
    // More than a second of the agent, of 16-bit samples at 16 kHz.
    expect(statSync(output).size).toBeGreaterThan(44 + 32_000);
    const wav = readFileSync(output);
    expect(wav.subarray(0, 4).toString() + wav.readUInt32LE(24)).toBe('RIFF16000');
  });

  it('examples/follow-call.mjs follows a call to its end', async () => {
    const callId = await tenant.dial('hangs_up');
    const { code, stdout, stderr } = await run(['examples/follow-call.mjs', callId], access());
    expect([code, stderr]).toEqual([0, '']);
    expect(lines(stdout)[0]).toBe('· QUEUED');
    expect(lines(stdout).at(-1)).toMatch(/^· COMPLETED \(caller_hangup\)$/);
    expect(stdout).toMatch(/^agent: .+$/m);
  });

  it('npm run call -- --talk records, plays and prints what is said', async () => {
    const programs = mkdtempSync(join(directory, 'programs-'));
    const played = join(programs, 'played.raw');
    const script = (name: string, text: string) => {
      writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(programs, name), 0o755);
    };
    // Silence in real time, then the microphone is gone.
    script(
      'arecord',
      'for i in 1 2 3 4 5 6 7 8 9; do head -c 32000 /dev/zero; sleep 1; done; echo "gone" >&2; exit 3',
    );
    script('aplay', `exec cat > ${played}`);
    const { code, stdout } = await run(['infra/dist/cli/call.js', '--talk', '--half-duplex'], {
      DATA_DIR: system.dataDir,
      PATH: `${programs}:${process.env.PATH}`,
    });
    expect(stdout).toContain('muted while it speaks');
    expect(stdout).toMatch(/^agent {3}.+$/m);
    expect(stdout).toContain('Stopped: arecord ended with 3: gone');
    expect(code).toBe(1);
    const pcm = readFileSync(played);
    let loud = 0;
    for (let at = 0; at + 1 < pcm.length; at += 2) if (Math.abs(pcm.readInt16LE(at)) > AUDIBLE) loud += 1;
    expect(loud).toBeGreaterThan(8000);
  });

  it('npm run call -- --talk says how to use the browser where there is no microphone', async () => {
    const { code, stderr } = await run(['infra/dist/cli/call.js', '--talk'], {
      DATA_DIR: system.dataDir,
      PATH: directory,
    });
    expect(code).toBe(1);
    expect(stderr).toContain(`open ${system.apiUrl}/talk`);
  });
});
