import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { beforeEach, describe, expect, it } from 'vitest';
import { WorkerCommands } from './commands.js';
import type { WorkerHolds } from './holds.js';
import type { WorkerModel } from './model.js';
import { WorkerRegistry } from './registry.js';
import type { CommandOutcome, WorkerClient } from './worker-client.js';

const CALL = { _id: '01998d2a-0000-7000-8000-000000000000', worker_id: 'w' };

let stored: { _id: string; control_url: string }[];
let reads: number;
let answers: Readonly<Record<string, CommandOutcome>>;
let sentTo: string[];
let clock: ScriptedClock;
let commands: WorkerCommands;

beforeEach(() => {
  stored = [{ _id: 'w', control_url: 'http://old' }];
  [reads, sentTo] = [0, []];
  answers = { 'http://old': 'accepted', 'http://new': 'accepted' };
  clock = new ScriptedClock();
  const collection = {
    find: () => ({
      toArray: async () => {
        reads++;
        return stored;
      },
    }),
  };
  const client: Pick<WorkerClient, 'command'> = {
    async command(address) {
      sentTo.push(address);
      return answers[address] ?? 'unreachable';
    },
  };
  commands = new WorkerCommands({
    registry: new WorkerRegistry({ collection } as unknown as WorkerModel, {} as WorkerHolds, clock),
    client: client as WorkerClient,
    log: silentLog,
  });
});
const send = () => commands.send(CALL, 'carrier_ended', { kind: 'carrier_ended', reason: 'caller_hangup' });

describe('a command to a worker', () => {
  it('goes to the address that was read last, which is read anew after two seconds', async () => {
    expect([await send(), await send()]).toEqual(['accepted', 'accepted']);
    expect(reads).toBe(1);
    clock.advance(2000);
    await send();
    expect(reads).toBe(2);
  });

  it.each(['unreachable', 'not_held'] as const)(
    'that is %s there goes to the address that it has by now',
    async (outcome) => {
      await send();
      answers = { 'http://old': outcome, 'http://new': 'accepted' };
      stored = [{ _id: 'w', control_url: 'http://new' }];
      expect(await send()).toBe('accepted');
      expect(sentTo).toEqual(['http://old', 'http://old', 'http://new']);
    },
  );

  it('is not sent twice to the same address, nor to a worker that nobody knows', async () => {
    answers = {};
    expect([await send(), sentTo]).toEqual(['unreachable', ['http://old']]);
    clock.advance(2000);
    stored = [];
    expect([await send(), sentTo]).toEqual(['unreachable', ['http://old']]);
  });
});
