import { EventEmitter } from 'node:events';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { beforeEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import type { SubscriptionRow } from '../subscriptions/subscription-model.js';
import { ANSWER_WITHIN_MS, ListenerConnection } from './listener-connection.js';
import type { ListenerEventRow } from './listener-event-model.js';

/** The service's end of a WebSocket, whose other end is the test. */
class ScriptedSocket extends EventEmitter {
  readonly sent: { readonly id?: string; readonly type: string }[] = [];
  closed: number | undefined;
  pings = 0;
  terminated = false;
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(code: number): void {
    this.closed = code;
  }
  ping(): void {
    this.pings++;
  }
  terminate(): void {
    this.terminated = true;
    this.emit('close', 1006);
  }
  answers(message: unknown): void {
    this.emit('message', Buffer.from(JSON.stringify(message)), false);
  }
}

let clock: ScriptedClock;
let socket: ScriptedSocket;
let outcomes: [string, string][];
let closings: [number, readonly string[]][];
let connection: ListenerConnection;

beforeEach(() => {
  clock = new ScriptedClock();
  socket = new ScriptedSocket();
  [outcomes, closings] = [[], []];
  connection = new ListenerConnection({
    listener: { _id: 'l', event_types: ['*'], sandbox: true } as unknown as SubscriptionRow,
    lease: { listenerId: 'l', connectionId: 'c' },
    secret: 'whsec_x',
    socket: socket as unknown as WebSocket,
    headerPrefix: 'X-Service-',
    clock,
    onOutcome: (rowId, outcome) => outcomes.push([rowId, outcome]),
    onClosed: (code, held) => closings.push([code, held]),
  });
});

function take(id: string, subject: string | null = null): void {
  const row = { _id: id, event_id: `event ${id}`, event_type: 'call.hangup', subject };
  connection.take({ row: row as ListenerEventRow, body: '{}' });
}
const sent = () => socket.sent.flatMap(({ id }) => id ?? []);

describe('the connection of a listener', () => {
  it('says first who it is and what signs its deliveries', () => {
    connection.begin();
    expect(socket.sent).toEqual([
      { type: 'ready', listener_id: 'l', secret: 'whsec_x', event_types: ['*'], sandbox: true },
    ]);
  });

  it('sends the events of one call one after another, and those of others beside them', () => {
    take('a1', 'a');
    take('a2', 'a');
    take('b1', 'b');
    expect(sent()).toEqual(['a1', 'b1']);
    socket.answers({ type: 'result', id: 'a1', status: 500 });
    expect(sent()).toEqual(['a1', 'b1', 'a2']);
    socket.answers({ type: 'result', id: 'a2', status: 204 });
    socket.answers({ type: 'result', id: 'b1', error: 'ECONNREFUSED' });
    expect(outcomes).toEqual([
      ['a1', 'failed'],
      ['a2', 'succeeded'],
      ['b1', 'failed'],
    ]);
    expect(clock.pending).toBe(0);
  });

  it('takes no more than it can send soon, and goes on when an answer is overdue', () => {
    const room = connection.room;
    for (let n = 0; n < room; n++) take(`${n}`);
    expect([sent().length, connection.room]).toEqual([room / 2, 0]);
    clock.advance(ANSWER_WITHIN_MS);
    expect(outcomes[0]).toEqual(['0', 'unanswered']);
    expect(sent().length).toBeGreaterThan(room / 2);
    // Too late: it counts already.
    socket.answers({ type: 'result', id: '0', status: 200 });
    expect(outcomes.filter(([id]) => id === '0')).toHaveLength(1);
  });

  it.each([
    ['nonsense'],
    [{ type: 'result', id: 'a' }],
    [{ type: 'result', id: 'a', status: 200, error: 'x' }],
  ])('is closed by %j', (message) => {
    take('a');
    socket.answers(message);
    expect([socket.closed, connection.room, outcomes]).toEqual([1008, 0, []]);
    clock.advance(1000);
    expect([socket.terminated, closings]).toEqual([true, [[1006, ['a']]]]);
  });

  it('gives back what was not answered when it closes, and leaves no timer', () => {
    take('a1', 'a');
    take('a2', 'a');
    socket.emit('close', 1000);
    expect(closings).toEqual([[1000, ['a1', 'a2']]]);
    expect(clock.pending).toBe(0);
  });

  it('is given up when a ping was not answered', () => {
    connection.beat();
    socket.emit('pong');
    connection.beat();
    expect([socket.pings, socket.terminated]).toEqual([2, false]);
    connection.beat();
    expect(socket.terminated).toBe(true);
  });
});
