import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { serveParentRequests } from './parent-requests.js';

/** A parent that keeps what it is answered, and restarts that end when the test says so. */
function scene() {
  const answers: unknown[] = [];
  const parent = Object.assign(new EventEmitter(), { send: (message: unknown) => answers.push(message) });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const prepared: unknown[] = [];
  serveParentRequests(parent, {
    restart(role) {
      begun.push(role);
      return new Promise((resolve) => ends.push(resolve));
    },
    prepare: (...of) => void prepared.push(of),
  });
  return { parent, answers, begun, prepared, ends };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('requests of the parent to restart', () => {
  it('restart the roles side by side, and are answered once all serve again', async () => {
    const { parent, answers, begun, ends } = scene();
    parent.emit('message', { type: 'restart', roles: ['store', 'worker'] });
    await settled();
    expect(begun).toEqual(['store', 'worker']);
    ends[0]!();
    await settled();
    expect(answers).toEqual([]);
    ends[1]!();
    await settled();
    expect(answers).toEqual([{ type: 'restarted', roles: ['store', 'worker'] }]);
  });

  it('are carried out one after the other', async () => {
    const { parent, begun, ends } = scene();
    parent.emit('message', { type: 'restart', roles: ['worker'] });
    parent.emit('message', { type: 'restart', roles: ['carrier'] });
    await settled();
    expect(begun).toEqual(['worker']);
    ends[0]!();
    await settled();
    expect(begun).toEqual(['worker', 'carrier']);
  });

  it('are ignored where they name no role', async () => {
    const { parent, begun } = scene();
    for (const message of [
      { type: 'restart', roles: ['launcher'] },
      { type: 'restart', roles: [] },
      'restart',
    ])
      parent.emit('message', message);
    await settled();
    expect(begun).toEqual([]);
  });
});

describe('a request of the parent to prepare a start', () => {
  it('is carried out at once and not answered', async () => {
    const { parent, answers, prepared } = scene();
    parent.emit('message', { type: 'restart', roles: ['store'] });
    const packages = ['express'];
    parent.emit('message', { type: 'prepare', role: 'control-plane', packages, installed_at: 7 });
    await settled();
    expect([prepared, answers]).toEqual([[['control-plane', packages, 7]], []]);
  });
});
