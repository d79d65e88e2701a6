import { PassThrough } from 'node:stream';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId } from '@voice/shared/ids/ids';
import type { Response } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../../loadtest/emulators/openai/server.js';
import { eventually } from '../../testing/eventually.js';
import { CallTokens } from './call-token.js';
import { llmProxyRoute } from './routes.js';
import type { MeteredUsage } from './usage-meter.js';

const clock = new ScriptedClock();
const tokens = new CallTokens('a key of the installation, long enough');
let openai: OpenAiEmulator;
beforeAll(async () => {
  openai = await startOpenAiEmulator({ clock });
});
afterAll(() => openai?.close());

/** A worker's connection that takes nothing off: the first bytes fill it. */
class FullConnection extends PassThrough {
  constructor() {
    super({ highWaterMark: 1 });
  }
  status() {}
  set() {}
  flushHeaders() {}
}

/** Asks for a streamed answer, and returns what is counted for it. */
function asked(worker: FullConnection, liveCall: () => Promise<{ tenantId: string }>) {
  const counted: MeteredUsage[] = [];
  const { handler } = llmProxyRoute({
    tokens,
    liveCall,
    usage: { count: async (_call, used) => void counted.push(used) },
    vendor: { apiKey: 'key', url: openai.baseUrl },
    clock,
  });
  const request = { get: () => `Bearer ${tokens.issue(newId(), clock.now())}`, res: worker };
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], stream: true };
  const context = { request, body } as unknown as Parameters<typeof handler>[0];
  const answered = handler(context).then((reply) => {
    if (!('send' in reply && reply.send)) throw new Error('the answer is not streamed');
    return reply.send(worker as unknown as Response);
  });
  return { answered, counted };
}

describe('a worker that hangs up', () => {
  const live = async () => ({ tenantId: newId() });

  it('while it has no room for more of the answer is counted what the model has said', async () => {
    const worker = new FullConnection();
    const { answered, counted } = asked(worker, live);
    await eventually(() => worker.writableNeedDrain);
    worker.destroy();
    await answered;
    expect(counted).toHaveLength(1);
  });

  it('before the model is asked costs nothing', async () => {
    const worker = new FullConnection();
    const { answered, counted } = asked(worker, async () => {
      worker.destroy();
      await new Promise((resolve) => worker.once('close', resolve));
      return live();
    });
    await expect(answered).rejects.toMatchObject({ code: 'language_model_failed' });
    expect(counted).toEqual([]);
  });
});
