/** @replicas Callbacks of one call that are taken by both replicas at once. */

import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { createAgent, startTestInstallation } from '../../testing/installation.js';
import type { DialedCall, ScriptedCarrier } from '../../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../../testing/scripted-worker.js';
import type { CallDetailResponse } from '../record/schemas.js';
import { agentMessage, ended, mediaStarted, metricsOf } from '../testing/events.js';

let carrier: ScriptedCarrier;
let plane: TestControlPlane;
let worker: ScriptedWorker;
let key: string;
let agentId: string;

beforeAll(async () => {
  const installation = await startTestInstallation({ capacity: 10_000 });
  ({ carrier, plane, worker } = installation);
  ({ key } = await plane.newKey());
  agentId = await createAgent(plane, key);
  return installation.close;
});

type Report = (call: { id: string; line: DialedCall; events: object[] }) => Promise<unknown>;

/** Reports on a fresh call in the given order; returns what the call is afterwards. */
async function outcome(order: readonly Report[]): Promise<object> {
  await worker.heartbeat(plane);
  const made = await plane.request('POST', '/api/v1/calls', {
    key,
    body: { agent_id: agentId, from_number: SANDBOX_CALLER_ID, to_number: '+15005550006' },
  });
  const { id } = made.json as { id: string };
  const line = (await eventually(() => carrier.callOf(id)))!;
  const events = worker.number(id, [
    mediaStarted(line.sid),
    agentMessage(0, 'Hello there'),
    agentMessage(0, 'Hello there', 'Hello'),
    metricsOf(1, 300),
    ended('agent_hangup', 4000),
  ]);
  for (const report of order) await report({ id, line, events });
  const detail = (await plane.request('GET', `/api/v1/calls/${id}/detail`, { key }))
    .json as CallDetailResponse;
  const { status, end_reason, duration_ms, transcript, metrics, carrier_call_id } = detail;
  const statuses = detail.events.map(({ type }) => type).filter((type) => /^call\.(?!dialed)/.test(type));
  return {
    status,
    end_reason,
    duration_ms,
    transcript,
    metrics,
    known: carrier_call_id === line.sid,
    statuses: statuses.sort(),
  };
}

const says =
  (status: string): Report =>
  ({ line }) =>
    carrier.report(line, status);
const sends =
  (...seqs: number[]): Report =>
  async ({ id, events }) => {
    const answer = await worker.send(
      plane,
      seqs.map((seq) => events[seq - 1]!),
    );
    // Also when they were accepted before: else the worker would send them for ever.
    expect(answer.json).toEqual({ accepted: seqs.map((seq) => ({ call_id: id, seq })), rejected: [] });
  };

/** Every order of the reports, with some repeated. */
const orders = (reports: readonly Report[]) =>
  fc
    .array(fc.constantFrom(...reports), { maxLength: 3 })
    .chain((repeated) =>
      fc.shuffledSubarray([...reports, ...repeated], { minLength: reports.length + repeated.length }),
    );

describe('reports that come late, twice and in any order', () => {
  it('end an answered call in one and the same state', { timeout: 480_000 }, async () => {
    const reports = [
      says('ringing'),
      says('in-progress'),
      says('completed'),
      sends(1),
      sends(2, 3),
      sends(4, 5),
    ];
    const expected = await outcome(reports);
    expect(expected).toMatchObject({ status: 'COMPLETED', end_reason: 'agent_hangup', duration_ms: 4000 });
    expect(expected).toMatchObject({ transcript: [{ heard_text: 'Hello', interrupted: true }] });
    await fc.assert(
      fc.asyncProperty(orders(reports), async (order) => {
        expect(await outcome(order)).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });

  it('end an unanswered call in one and the same state', { timeout: 480_000 }, async () => {
    const status = (found: object) => (found as { status: string }).status;
    const reports = [says('initiated'), says('ringing'), says('busy')];
    await fc.assert(
      fc.asyncProperty(orders(reports), async (order) => {
        expect(status(await outcome(order))).toBe('BUSY');
      }),
      { numRuns: 15 },
    );
  });
});

describe('a batch of events', () => {
  it('is judged event by event: what is wrong is rejected and holds up nothing', async () => {
    await worker.heartbeat(plane);
    const made = await plane.request('POST', '/api/v1/calls', {
      key,
      body: { agent_id: agentId, from_number: SANDBOX_CALLER_ID, to_number: '+15005550006' },
    });
    const { id } = made.json as { id: string };
    await eventually(() => carrier.callOf(id));
    const foreign = '00000000-0000-4000-8000-000000000000';
    const answer = await worker.send(plane, [
      { call_id: id, seq: 1, at: 1, kind: 'no_such_kind' },
      { call_id: foreign, seq: 1, at: 1, kind: 'notice', code: 'x', message: '' },
      ...worker.number(id, [{ kind: 'notice', code: 'slow', message: 'the model is slow' }]),
    ]);
    expect(answer.json).toEqual({
      accepted: [{ call_id: id, seq: 1 }],
      rejected: [
        { call_id: id, seq: 1, code: 'malformed_event' },
        { call_id: foreign, seq: 1, code: 'call_not_found' },
      ],
    });
  });

  it('without the token between the planes is refused', async () => {
    const answer = await plane.atInternal('POST', '/internal/events', {
      body: { worker_id: 'x', events: [{}] },
    });
    expect(answer.status).toBe(401);
  });
});
