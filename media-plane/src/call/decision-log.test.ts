import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DiskClient } from '../disk/disk-client.js';
import { DecisionLog } from './decision-log.js';
import { ScriptedCall } from './turn-taking/testing/scripted-call.js';

const disk = new DiskClient();

const turnTaking = new ScriptedCall().options;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'decision-log-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function log(name: string) {
  const clock = new ScriptedClock();
  const path = join(folder, `${name}.ndjson`);
  const decisions = new DecisionLog({ path, turnTaking, clock, disk });
  const lines = () =>
    existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => Object.keys(JSON.parse(line)))
      : [];
  return { clock, decisions, lines };
}

describe('the decision log', () => {
  it('writes the decisions of a second together', async () => {
    const { clock, decisions, lines } = log('second');
    clock.advance(300);
    decisions.record({ type: 'call_started', at: 300 }, []);
    decisions.record({ type: 'dtmf', digit: '1', at: 310 }, []);
    expect(lines()).toEqual([]);
    clock.advance(700);
    await expect
      .poll(lines, { interval: 2 })
      .toEqual([['options'], ['event', 'effects'], ['event', 'effects']]);
    decisions.record({ type: 'dtmf', digit: '2', at: 1300 }, []);
    clock.advance(1000);
    await expect.poll(() => lines().length, { interval: 2 }).toBe(4);
    await decisions.close();
  });

  it('is whole when it is closed, and leaves no timer', async () => {
    const { clock, decisions, lines } = log('closed');
    decisions.record({ type: 'call_started', at: 0 }, []);
    await decisions.close();
    expect(lines()).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });

  it('that cannot be written takes nothing with it', async () => {
    const clock = new ScriptedClock();
    const path = join(folder, 'missing', 'log.ndjson');
    const decisions = new DecisionLog({ path, turnTaking, clock, disk });
    decisions.record({ type: 'call_started', at: 0 }, []);
    clock.advance(1000);
    await decisions.close();
    expect(existsSync(path)).toBe(false);
  });
});
