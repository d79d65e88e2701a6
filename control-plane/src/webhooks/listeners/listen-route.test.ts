import { EventEmitter } from 'node:events';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { expect, it } from 'vitest';
import { ADMISSION_EVERY_MS } from '../../platform/http/admission-watch.js';
import type { AnyContext } from '../../platform/http/route.js';
import { listenRoute } from './listen-route.js';
import { LISTENER_CLOSE } from './listener-messages.js';

it('a listener is closed within 15 s after who listens is signed out, or their key is deleted', async () => {
  const clock = new ScriptedClock();
  let isIn = true;
  const { handler } = listenRoute({ admit: async () => null, accept: () => {} }, clock);
  const context = { query: { event_types: ['*'] }, isStillAdmitted: async () => isIn };
  const { accept } = (await handler(context as unknown as AnyContext)) as unknown as {
    readonly accept: (socket: EventEmitter) => void;
  };
  const closed: number[] = [];
  accept(Object.assign(new EventEmitter(), { close: (code: number) => closed.push(code) }));
  const pass = async () => {
    clock.advance(ADMISSION_EVERY_MS);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await pass();
  expect(closed).toEqual([]);
  isIn = false;
  await pass();
  expect(closed).toEqual([LISTENER_CLOSE.refused]);
});
