import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { expect, it } from 'vitest';
import { diskRoom } from './disk-room.js';

it('holds a start back while the disk is full, so that it is not used up as one of ten', async () => {
  const clock = new ScriptedClock();
  const free = [0, 1000, 10_000_000];
  let asked = 0;
  let started = false;
  const room = diskRoom({ dir: '/data', clock, freeBytes: async () => free[asked++]! }).then(() => {
    started = true;
  });
  for (let look = 1; look <= 2; look++) {
    await new Promise((resolve) => setImmediate(resolve));
    expect([asked, started]).toEqual([look, false]);
    clock.advance(500);
  }
  await room;
  expect(asked).toBe(3);
});

it('holds nothing back where free space is not known', async () => {
  const freeBytes = () => Promise.reject(new Error('no such directory'));
  await expect(diskRoom({ dir: '/none', clock: new ScriptedClock(), freeBytes })).resolves.toBeUndefined();
});
