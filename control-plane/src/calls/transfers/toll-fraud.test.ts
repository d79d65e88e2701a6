import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ALWAYS_OPEN, Scene, type Tenant } from '../../specification/scene.js';
import { eventually } from '../../testing/eventually.js';

let scene: Scene;
let tenant: Tenant;
let call: { readonly id: string; readonly sid: string; readonly dialed: number };

beforeAll(async () => {
  scene = await Scene.set();
});
afterAll(() => scene?.close());
beforeEach(async () => {
  tenant = await scene.newTenant({ calling_hours: ALWAYS_OPEN });
  const { id, line } = await scene.answeredLive(tenant);
  call = { id, sid: line.sid, dialed: scene.carrier.dialed.length };
});

const transfer = (body: object) => scene.ask(tenant.live, 'POST', `/api/v1/calls/${call.id}/transfer`, body);
/** What the carrier was asked for beside the call itself. */
const asked = () => [
  ...scene.carrier.redirected.filter(({ sid }) => sid === call.sid),
  ...scene.carrier.dialed.slice(call.dialed),
];

describe('a production call', () => {
  it.each([
    ['a premium number', '+19002345678', /premium/],
    ['a satellite phone', '+881612345678', /satellite/],
    ['a personal number, which forwards anywhere', '+447012345678', /personal/],
    ['an international premium number', '+979123456789', /./],
    ['no number that there is', '+4990012345678', /no such number/i],
  ])('is not transferred to %s, cold or warm', async (_, destination, why) => {
    for (const transfer_type of ['cold', 'warm']) {
      const { status, json } = await transfer({ destination, transfer_type });
      expect([status, json]).toMatchObject([
        422,
        {
          code: 'validation_error',
          detail: [{ loc: ['body', 'destination'], msg: expect.stringMatching(why) }],
        },
      ]);
    }
    expect(asked()).toEqual([]);
    expect(await scene.json(tenant.live, 'GET', `/api/v1/calls/${call.id}`)).toMatchObject({
      status: 'IN_PROGRESS',
      extra: { transfer_in_progress: false },
    });
  });

  it.each(['cold', 'warm'] as const)('nor by its agent, which learns why (%s)', async (transfer_type) => {
    await scene.report(call.id, {
      kind: 'transfer_requested',
      tool_call_id: newId(),
      destination: '+881612345678',
      transfer_type,
    });
    const commands = () => scene.worker.commands.filter(({ callId }) => callId === call.id);
    await eventually(() => commands().length > 0);
    expect(commands()[0]!.command.command).toMatchObject({
      kind: 'transfer_result',
      ok: false,
      message: expect.stringContaining('satellite'),
    });
    expect(asked()).toEqual([]);
  });

  it('is transferred to an ordinary number', async () => {
    expect((await transfer({ destination: '+14155550178' })).status).toBe(200);
    expect(asked()).toHaveLength(1);
  });
});
