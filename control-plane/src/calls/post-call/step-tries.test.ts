import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiError } from '../../platform/http/error-codes.js';
import { eventually } from '../../testing/eventually.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { type CallDocument, type CallModel, callModel } from '../record/model.js';
import { BROKEN_OFF_MS, PostCall, STEP_ATTEMPTS, UNFINISHED_TRIES } from './post-call.js';
import { DONE, type PostCallStep } from './step.js';
import { STEP_LIMIT_MS } from './step-limit.js';

/** Longer than any lease, in ms. */
const LEASE_OVER_MS = 200_000;

let store: TestStore;
let calls: CallModel;
let clock: ScriptedClock;

beforeAll(async () => {
  store = await startTestStore();
  calls = callModel(await store.connect());
});
beforeEach(async () => {
  clock = new ScriptedClock();
  await calls.deleteMany({});
});
afterAll(() => store?.close());

const tenant_id = newId();

/** A call that ended just now. */
async function endedCall(): Promise<string> {
  const id = newId();
  await calls.collection.insertOne({
    _id: id,
    tenant_id,
    status: 'COMPLETED',
    timeline: [],
    post_call_due_at: new Date(clock.now()),
    post_call_done: [],
    post_call_lease_owner: null,
    post_call_lease_until: new Date(0),
  } as never);
  return id;
}
const stored = async (id: string) => await calls.findById(id).orFail().lean<CallDocument>();
const failures = async (id: string) =>
  (await stored(id)).timeline
    .filter(({ type }) => type.endsWith('.failed'))
    .map(({ type, data }) => [type, (JSON.parse(data) as { error_code: string }).error_code]);

const runner = (...steps: PostCallStep[]) =>
  new PostCall({ calls, steps, onProgress: () => {}, clock, log: silentLog });
const step = (name: string, run: PostCallStep['run']): PostCallStep => ({ name, run });
const never = () => new Promise<never>(() => {});

/** A process that takes up what is due and dies in the step: its run never goes on, and its lease runs out. */
async function processDiesIn(name: string, begun: string[]): Promise<void> {
  const before = begun.length;
  const dying = runner(
    step(name, (call) => {
      begun.push(call._id);
      return never();
    }),
  );
  await dying.sweep();
  await eventually(() => begun.length > before);
}

describe('a step that a process dies in', () => {
  it('is tried three times, each counted before it begins, then given up with its reason', async () => {
    const id = await endedCall();
    const begun: string[] = [];
    for (let died = 1; died <= UNFINISHED_TRIES; died++) {
      await processDiesIn('analysis', begun);
      expect(await stored(id)).toMatchObject({ post_call_unfinished: died, post_call_done: [] });
      clock = new ScriptedClock(clock.now() + LEASE_OVER_MS);
    }
    const after: string[] = [];
    await runner(
      step('analysis', async () => {
        after.push('analysis');
        return DONE;
      }),
      step('cost', async () => {
        after.push('cost');
        return DONE;
      }),
    ).run({ _id: id, tenant_id });
    expect(after).toEqual(['cost']);
    expect(await failures(id)).toEqual([['analysis.failed', 'post_call_step_abandoned']]);
    expect(await stored(id)).toMatchObject({
      post_call_done: ['analysis', 'cost'],
      post_call_due_at: null,
      post_call_unfinished: 0,
    });
  });

  it('has its last try alone, so that no other call is given up with it', async () => {
    const ids = [await endedCall(), await endedCall(), await endedCall()];
    const counts = async () => (await Promise.all(ids.map(stored))).map((call) => call.post_call_unfinished);
    for (let died = 1; died < UNFINISHED_TRIES; died++) {
      const begun: string[] = [];
      await runner(
        step('analysis', (call) => {
          begun.push(call._id);
          return never();
        }),
      ).sweep();
      await eventually(() => begun.length === ids.length);
      clock = new ScriptedClock(clock.now() + LEASE_OVER_MS);
    }
    expect(await counts()).toEqual([2, 2, 2]);
    const begun: string[] = [];
    const last = runner(
      step('analysis', (call) => {
        begun.push(call._id);
        return never();
      }),
    );
    await last.sweep();
    await eventually(() => begun.length === 1);
    await last.sweep();
    expect(begun).toHaveLength(1);
    expect((await counts()).toSorted()).toEqual([2, 2, 3]);
  });

  it('gives the call what a step makes of it together with the mark, also of the last one', async () => {
    const id = await endedCall();
    const seen: unknown[] = [];
    await runner(
      step('analysis', async () => ({ kind: 'done', set: { outcome: 'sold' } })),
      step('cost', async (call) => {
        seen.push(call.outcome, call.post_call_done);
        return { kind: 'done', set: { summary: 'short' } };
      }),
    ).run({ _id: id, tenant_id });
    expect(seen).toEqual(['sold', ['analysis']]);
    expect(await stored(id)).toMatchObject({
      outcome: 'sold',
      summary: 'short',
      post_call_done: ['analysis', 'cost'],
      post_call_due_at: null,
    });
  });

  it('counts anew with each step that ends', async () => {
    const id = await endedCall();
    const begun: string[] = [];
    await processDiesIn('transcript', begun);
    clock = new ScriptedClock(clock.now() + LEASE_OVER_MS);
    const seen: number[] = [];
    const look = (name: string) =>
      step(name, async () => {
        seen.push((await stored(id)).post_call_unfinished ?? 0);
        return DONE;
      });
    await runner(look('transcript'), look('analysis')).run({ _id: id, tenant_id });
    expect(seen).toEqual([2, 1]);
  });
});

describe('a try that ends is none that a process died in', () => {
  it.each<[string, PostCallStep['run']]>([
    ['it waits', async () => ({ kind: 'waiting', lookAgainAt: clock.now() + 1000 })],
    ['it fails', () => Promise.reject(apiError('language_model_failed', 'away', { retryable: true }))],
  ])('because %s', async (_, run) => {
    const id = await endedCall();
    await runner(step('analysis', run)).run({ _id: id, tenant_id });
    expect(await stored(id)).toMatchObject({ post_call_unfinished: 0, post_call_lease_owner: null });
  });

  it('because the process stops in good order', async () => {
    const id = await endedCall();
    const postCall = runner(step('analysis', never));
    postCall.soon({ _id: id, tenant_id });
    await eventually(async () => (await stored(id)).post_call_unfinished === 1);
    await postCall.stop();
    expect(await stored(id)).toMatchObject({ post_call_unfinished: 0, post_call_lease_owner: null });
  });
});

describe('a run that breaks off because the store is away', () => {
  it('goes on soon after the store is back, not when its lease has run out', async () => {
    const id = await endedCall();
    let isAway = false;
    const sometimesAway = new Proxy(calls, {
      get: (model, name) =>
        name === 'updateOne' && isAway
          ? () => Promise.reject(new Error('the store is away'))
          : Reflect.get(model, name, model),
    });
    const tries: number[] = [];
    const transcript = step('transcript', async () => {
      tries.push(clock.now());
      isAway = tries.length === 1;
      if (isAway) throw apiError('storage_unavailable');
      return DONE;
    });
    const postCall = new PostCall({
      calls: sometimesAway,
      steps: [transcript],
      onProgress: () => {},
      clock,
      log: silentLog,
    });
    const broken = postCall.run({ _id: id, tenant_id }).catch(String);
    await eventually(() => tries.length === 1 && clock.pending === 1);
    isAway = false;
    clock.advance(BROKEN_OFF_MS);
    expect(await broken).toContain('the store is away');
    expect(await stored(id)).toMatchObject({ post_call_unfinished: 0 });
    clock.advance(BROKEN_OFF_MS);
    await postCall.run({ _id: id, tenant_id });
    expect(await stored(id)).toMatchObject({ post_call_due_at: null, post_call_done: ['transcript'] });
    expect(tries).toEqual([tries[0], tries[0]! + 2 * BROKEN_OFF_MS]);
  });
});

describe('a step that takes too long', () => {
  it('is cut off, also when it does not listen, tried again, and given up after six times', async () => {
    const id = await endedCall();
    const tries: AbortSignal[] = [];
    const postCall = runner(
      step('analysis', (_call, signal) => {
        tries.push(signal);
        return never();
      }),
      step('cost', async () => DONE),
    );
    for (let i = 1; i <= STEP_ATTEMPTS; i++) {
      const running = postCall.run({ _id: id, tenant_id });
      await eventually(() => tries.length === i);
      clock.advance(STEP_LIMIT_MS);
      await running;
      expect(tries.at(-1)?.aborted).toBe(true);
      clock.advance(LEASE_OVER_MS);
    }
    expect(await failures(id)).toEqual([['analysis.failed', 'post_call_step_timed_out']]);
    expect(await stored(id)).toMatchObject({ post_call_done: ['analysis', 'cost'], post_call_due_at: null });
  });

  it('whose failure cannot be recorded in its own way has it in the timeline, and the next steps run', async () => {
    const id = await endedCall();
    const analysis: PostCallStep = {
      name: 'analysis',
      run: () => Promise.reject(apiError('extraction_schema_unusable')),
      giveUp: () => Promise.reject(new Error('a fault')),
    };
    await runner(
      analysis,
      step('cost', async () => DONE),
    ).run({ _id: id, tenant_id });
    expect(await failures(id)).toEqual([['analysis.failed', 'extraction_schema_unusable']]);
    expect(await stored(id)).toMatchObject({ post_call_done: ['analysis', 'cost'] });
  });
});

describe('a step that has nothing to do for a call', () => {
  const begun: string[] = [];
  const noted = (name: string, isNothing = false): PostCallStep => ({
    ...step(name, async () => {
      begun.push(name);
      return DONE;
    }),
    isNothing: () => isNothing,
  });
  beforeEach(() => {
    begun.length = 0;
  });

  it('is not run, and counts as done with the next one', async () => {
    const id = await endedCall();
    await runner(
      noted('spool', true),
      noted('transcript'),
      noted('analysis', true),
      noted('cost'),
      noted('recording', true),
    ).run({ _id: id, tenant_id });
    expect(begun).toEqual(['transcript', 'cost']);
    expect(await stored(id)).toMatchObject({
      post_call_done: ['spool', 'transcript', 'analysis', 'cost', 'recording'],
      post_call_due_at: null,
      post_call_lease_owner: null,
    });
  });

  it('does not forgive the step after it the tries that it has failed', async () => {
    const id = await endedCall();
    const failing = step('cost', async () => {
      throw new Error('not yet');
    });
    for (let tried = 1; tried < STEP_ATTEMPTS; tried++) {
      await runner(noted('spool', true), failing).run({ _id: id, tenant_id });
      expect(await stored(id)).toMatchObject({ post_call_attempts: tried, post_call_done: ['spool'] });
      clock = new ScriptedClock((await stored(id)).post_call_due_at!.getTime());
    }
  });
});
