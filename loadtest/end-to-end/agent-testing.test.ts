import { beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { WebSocket } from 'ws';
import { Tenant } from '../system/tenant.js';
import { quickAgent } from './harness/quick-agent.js';
import { SharedSystem } from './harness/shared-system.js';

/** 20 ms of 16-bit PCM at 16 kHz, in bytes. */
const FRAME_BYTES = 640;
/** A sample beyond it is sound, not the noise of an encoding. */
const AUDIBLE = 500;

let system: SharedSystem;
let tenant: Tenant;

beforeAll(async () => {
  system = new SharedSystem();
  tenant = await Tenant.create(system, { ...quickAgent, silence_timeout_seconds: 3 });
});

const api = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${system.apiUrl}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
};

async function resultOf(sessionId: string): Promise<Record<string, unknown>> {
  for (const until = Date.now() + 120_000; Date.now() < until; ) {
    const { status, json } = await api('GET', `/test-sessions/${sessionId}/result`);
    if (status === 200) return json;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error('no result in time');
}

describe('a tester on a WebSocket', () => {
  it('hears the agent speak, and finds transcript, analysis and recording in the result', async () => {
    onTestFailed(() => console.error(system.tail()));
    const created = await api('POST', `/agents/${tenant.agentId}/test/websocket`, {});
    expect(created.status).toBe(201);
    const { session_id: id, stream_url: url, token } = created.json as Record<string, string>;
    const socket = new WebSocket(`${url}?t=${token}&encoding=pcm16&sample_rate=16000`);
    let audible = 0;
    const received: string[] = [];
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        for (let at = 0; at < data.length; at += 2)
          if (Math.abs(data.readInt16LE(at)) > AUDIBLE) audible += 1;
        return;
      }
      const message = JSON.parse(data.toString('utf8')) as { type: string };
      received.push(message.type);
      if (message.type === 'mark') socket.send(JSON.stringify(message));
    });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const microphone = setInterval(() => {
      if (socket.readyState === WebSocket.OPEN) socket.send(Buffer.alloc(FRAME_BYTES));
    }, 20);
    // Two turns have been heard: the disclosure and the first message.
    for (const until = Date.now() + 120_000; received.filter((type) => type === 'turn').length < 2; ) {
      if (Date.now() > until) throw new Error(`only ${received.join(', ')}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    socket.send(JSON.stringify({ type: 'stop' }));
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(microphone);
    expect(audible).toBeGreaterThan(8000);
    expect([received[0], received.at(-1)]).toEqual(['started', 'ended']);
    const result = await resultOf(id!);
    const transcript = result.transcript as { role: string; text: string }[];
    expect(transcript.map(({ role }) => role)).toEqual(['agent', 'agent']);
    expect(result.analysis).toMatchObject({ status: 'complete', outcome: 'no_conversation' });
    expect((await fetch(String(result.recording_url))).headers.get('content-type')).toBe('audio/mpeg');
  });
});
