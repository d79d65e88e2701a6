import { once } from 'node:events';
import { PCMU_8K } from '@voice/shared/audio/format';
import { MULAW_SILENCE } from '@voice/shared/audio/g711';
import { systemClock } from '@voice/shared/clock/clock';
import type { Caption } from '@voice/shared/contracts/captions';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { SttEvent, SttOptions, SttSession } from '../port.js';
import { createLocalSpeechToText } from './local.js';

const FRAME = new Uint8Array(160).fill(MULAW_SILENCE);
const GREETING: Caption = {
  kind: 'utterance',
  id: 0,
  words: [
    { text: 'Hello,', start_ms: 200, end_ms: 500 },
    { text: 'who', start_ms: 600, end_ms: 800 },
    { text: 'is', start_ms: 800, end_ms: 900 },
    { text: 'there?', start_ms: 900, end_ms: 1200 },
  ],
};

describe('the local speech-to-text', () => {
  let server: WebSocketServer;
  let captions: Caption[];
  let events: SttEvent[];
  let warnings: string[];
  let session: SttSession;
  let url: string;

  beforeEach(async () => {
    captions = [];
    events = [];
    warnings = [];
    server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    server.on('connection', (socket) => {
      for (const entry of captions) socket.send(JSON.stringify(entry));
    });
    await new Promise<void>((resolve) => server.once('listening', resolve));
    url = `ws://127.0.0.1:${(server.address() as { port: number }).port}/captions/CA1`;
  });
  afterEach(async () => {
    session.close();
    for (const client of server.clients) client.terminate();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  function open(options: Partial<SttOptions> = {}) {
    session = createLocalSpeechToText().open({
      choice: { provider: 'local', model: '', params: {} },
      credentials: {},
      language: 'en-US',
      format: PCMU_8K,
      endpointingMs: 300,
      captionsUrl: url,
      clock: systemClock,
      log: { ...silentLog, warn: (_, message) => warnings.push(message) },
      onEvent: (event) => events.push(event),
      ...options,
    });
  }
  /** Opens the session and waits until it has the captions. */
  async function listening() {
    const connected = new Promise<WebSocket>((resolve) => server.once('connection', resolve));
    open();
    await captionsArrived(await connected);
  }
  /** Resolves when the session has what was sent to it: it answers a ping behind that. */
  async function captionsArrived(socket: WebSocket): Promise<void> {
    socket.ping();
    await once(socket, 'pong');
  }
  const hear = (untilMs: number) => {
    while (session.audioMs < untilMs) session.write(FRAME);
  };
  const texts = () =>
    events.flatMap((event) =>
      event.type === 'transcript' ? [`${event.final ? 'final' : 'interim'}: ${event.text}`] : [],
    );

  it('says a word only when its audio has arrived and the detector found speech in it', async () => {
    captions = [GREETING];
    await listening();
    hear(400);
    session.voiceActivity(true, 220);
    expect(texts()).toEqual([]);
    hear(500);
    expect(texts()).toEqual(['interim: Hello,']);
    hear(880);
    expect(texts()).toEqual(['interim: Hello,', 'interim: Hello, who']);
  });

  it('says nothing of a script whose audio has no speech in it', async () => {
    captions = [GREETING];
    await listening();
    hear(3000);
    session.finalize();
    expect(texts()).toEqual([]);
  });

  it('gives a final of what was heard at the end of speech, and the rest with the next speech', async () => {
    captions = [GREETING];
    await listening();
    hear(300);
    session.voiceActivity(true, 200);
    hear(580);
    session.voiceActivity(false, 500);
    hear(700);
    session.voiceActivity(true, 600);
    hear(1400);
    session.voiceActivity(false, 1190);
    expect(texts().filter((text) => text.startsWith('final'))).toEqual([
      'final: Hello,',
      'final: who is there?',
    ]);
    expect(events.filter((event) => event.type === 'transcript' && event.final)).toMatchObject([
      { startMs: 200, endMs: 500, confidence: 1 },
      { startMs: 600, endMs: 1200, confidence: 1 },
    ]);
  });

  it('gives the final of what was heard when asked for it, and nothing when nothing was', async () => {
    captions = [GREETING];
    await listening();
    hear(300);
    session.voiceActivity(true, 200);
    session.finalize();
    expect(texts()).toEqual([]);
    hear(820);
    session.finalize();
    session.finalize();
    expect(texts().at(-1)).toBe('final: Hello, who');
    expect(texts().filter((text) => text.startsWith('final'))).toHaveLength(1);
  });

  it('never says what the person did not come to say', async () => {
    captions = [GREETING, { kind: 'cut', id: 0, at_ms: 850 }];
    await listening();
    hear(300);
    session.voiceActivity(true, 200);
    hear(2000);
    session.voiceActivity(false, 850);
    expect(texts().at(-1)).toBe('final: Hello, who');
  });

  it('gives the final as soon as the script comes, when it comes after the speech has ended', async () => {
    open();
    const connected = new Promise<WebSocket>((resolve) => server.once('connection', resolve));
    hear(300);
    session.voiceActivity(true, 200);
    hear(1500);
    session.voiceActivity(false, 1200);
    expect(texts()).toEqual([]);
    (await connected).send(JSON.stringify(GREETING));
    await expect.poll(() => texts().at(-1)).toBe('final: Hello, who is there?');
  });

  it('comes back when its connection is lost, and repeats nothing', async () => {
    captions = [GREETING];
    await listening();
    hear(300);
    session.voiceActivity(true, 200);
    hear(620);
    const again = new Promise<WebSocket>((resolve) => server.once('connection', resolve));
    for (const client of server.clients) client.terminate();
    await captionsArrived(await again);
    hear(1500);
    session.voiceActivity(false, 1200);
    expect(texts().at(-1)).toBe('final: Hello, who is there?');
  });

  it('fails once when the captions are refused for good', async () => {
    await new Promise<void>((resolve) => server.close(() => resolve()));
    open({
      clock: { ...systemClock, schedule: (_, task) => systemClock.schedule(1, task) },
    });
    await expect.poll(() => events.length).toBe(1);
    expect(events[0]).toMatchObject({ type: 'failed', error: { code: 'stt_unavailable', retryable: true } });
    server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  });

  it('fails on captions that are no captions', async () => {
    captions = [{ kind: 'utterance', id: 0, words: [] }];
    open();
    await expect
      .poll(() => events)
      .toMatchObject([{ type: 'failed', error: { code: 'stt_protocol_violation' } }]);
  });

  it('hears a real caller without a word, and says once why', () => {
    open({ captionsUrl: undefined });
    hear(500);
    session.voiceActivity(true, 300);
    hear(1000);
    session.voiceActivity(false, 800);
    session.finalize();
    expect(texts()).toEqual([]);
    expect(events).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/simulated people only/);
    expect(session.audioMs).toBe(1000);
  });

  it('is silent after it was closed', async () => {
    captions = [GREETING];
    await listening();
    hear(300);
    session.voiceActivity(true, 200);
    session.close();
    session.close();
    hear(300);
    session.finalize();
    expect(texts()).toEqual([]);
  });
});
