import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { isOver, Tenant } from '../system/tenant.js';
import { rememberedTurns } from './harness/decision-log.js';
import { quickAgent } from './harness/quick-agent.js';
import { SeparateSystem } from './harness/separate-system.js';

let system: SeparateSystem;
let tenant: Tenant;

beforeAll(async () => {
  system = await SeparateSystem.start();
  tenant = await Tenant.create(system, quickAgent);
});
afterAll(() => system?.stop());

/** Long enough for several turns whose events no control plane takes. */
const DOWN_MS = 6000;

describe('a control plane that is killed in the middle of a call', () => {
  it('loses no event: the call goes on without it, and is complete once it is back', async () => {
    onTestFailed(() => console.error(system.tail()));
    const callId = await tenant.dial('talks');
    await tenant.until(
      callId,
      ({ status, transcript }) => status === 'IN_PROGRESS' && transcript.length >= 2,
      60_000,
    );
    system.controlPlane.signal('SIGKILL');
    await system.controlPlane.exited;
    await sleep(DOWN_MS);
    system.controlPlane = await system.startControlPlane();

    const call = await tenant.untilStatus(callId, isOver, 180_000);
    expect(call.status).toBe('COMPLETED');
    const { mp3 } = await tenant.recording(callId);
    expect(mp3.length).toBeGreaterThan(10_000);
    const types = call.events.map(({ type }) => type);
    for (const once of [
      'call.queued',
      'call.ringing',
      'call.started',
      'call.completed',
      'media.started',
      'media.ended',
    ]) {
      expect(
        types.filter((type) => type === once),
        once,
      ).toHaveLength(1);
    }
    // The worker's own log of the call holds what there was to report.
    const remembered = await rememberedTurns(system.dataDir, callId);
    expect(remembered.length).toBeGreaterThanOrEqual(6);
    expect((await tenant.detail(callId)).transcript.map(({ text }) => text)).toEqual(
      remembered.map(({ text }) => text),
    );
  });
});
