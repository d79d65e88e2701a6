import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import type { ExplainedCall } from '@voice/shared/contracts/decisions';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { beforeEach, describe, expect, it } from 'vitest';
import { apiError } from '../../platform/http/error-codes.js';
import { callRoute } from '../../testing/call-route.js';
import type { ExplainOutcome } from '../../workers/worker-client.js';
import { CallDecisions, type CallDecisionsOptions } from './call-decisions.js';
import { callDecisionRoutes } from './routes.js';

const LOG = '{"options":{}}\n{"event":{}}\n';
const EXPLAINED: ExplainedCall = {
  decisions: [
    { step: 3, at_ms: 450, rule: 'interruption', known: 'Two words.', outcome: 'Silence.', today: null },
  ],
  truncated: false,
  steps: 7,
  different: 0,
};
const UNREACHABLE: ExplainOutcome = { kind: 'unreachable', cause: 'gone' };

let answers: Record<string, ExplainOutcome>;
let asked: { readonly url: string; readonly log: string }[];
let call: { erasing_at: Date | null };
beforeEach(() => {
  [answers, asked, call] = [{}, [], { erasing_at: null }];
});

/** Asks for a call's decisions, where workers with so many free places report. */
function ask(free: readonly number[], log: () => Readable = () => Readable.from([Buffer.from(LOG)])) {
  const options: CallDecisionsOptions = {
    calls: { require: async () => call as never },
    uploads: { openDecisionLog: async () => log() },
    registry: {
      reporting: async () => free.map((places, n) => ({ control_url: `w${n}`, free: places })) as never,
    },
    client: {
      explain: async (url, sent) => {
        asked.push({ url, log: gunzipSync(sent).toString() });
        return answers[url] ?? { kind: 'explained', call: EXPLAINED };
      },
    },
  };
  return callRoute(callDecisionRoutes(new CallDecisions(options)), 'getCallDecisions', {
    scope: { tenant: newTenantId(), sandbox: true },
    params: { call_id: newId() },
  });
}

describe('GET /calls/{call_id}/decisions', () => {
  it('has the call explained by the worker with most room, from the log as it is', async () => {
    expect((await ask([1, 5])).body).toMatchObject({ call_id: expect.any(String), ...EXPLAINED });
    expect(asked).toEqual([{ url: 'w1', log: LOG }]);
  });

  it('asks the next worker where one does not answer, and three at most', async () => {
    answers = { w0: UNREACHABLE };
    expect((await ask([5, 1])).status).toBe(200);
    answers = { w0: UNREACHABLE, w1: UNREACHABLE, w2: UNREACHABLE };
    await expect(ask([4, 3, 2, 1])).rejects.toMatchObject({ code: 'worker_unreachable' });
    expect(asked.map(({ url }) => url)).toEqual(['w0', 'w1', 'w0', 'w1', 'w2']);
    await expect(ask([])).rejects.toMatchObject({ code: 'worker_unreachable' });
  });

  it('says that a log cannot be read, in the words of the worker, and asks no other', async () => {
    answers = { w0: { kind: 'unreadable', message: 'line 1: not JSON' } };
    const refused = { code: 'decision_log_unreadable', message: 'line 1: not JSON' };
    await expect(ask([2, 1])).rejects.toMatchObject(refused);
    expect(asked).toHaveLength(1);
  });

  it('takes no log that is longer than workers read', async () => {
    const endless = () =>
      Readable.from(
        (function* () {
          for (;;) yield Buffer.alloc(1024 * 1024);
        })(),
      );
    await expect(ask([1], endless)).rejects.toMatchObject({ code: 'decision_log_unreadable' });
    expect(asked).toEqual([]);
  });

  it('has none of a call that is being erased, or whose log is not kept', async () => {
    call = { erasing_at: new Date() };
    await expect(ask([1])).rejects.toMatchObject({ code: 'decision_log_not_found' });
    call = { erasing_at: null };
    const missing = () => {
      throw apiError('decision_log_not_found');
    };
    await expect(ask([1], missing)).rejects.toMatchObject({ code: 'decision_log_not_found' });
    expect(asked).toEqual([]);
  });
});
