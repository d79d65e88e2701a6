import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { createLog } from '@voice/shared/log/log';
import { describe, expect, it } from 'vitest';
import { CHROMIUM } from './sdp/testing/offers.js';
import { GRACE_MS, WebRtcSession } from './session.js';
import { scriptedConnections } from './testing/scripted-connections.js';

const offer = { sdp: CHROMIUM, type: 'offer' } as const;

function scene() {
  const clock = new ScriptedClock();
  const { opened, openConnection, host } = scriptedConnections();
  const events: string[] = [];
  const session = new WebRtcSession({
    callId: 'call',
    clock,
    log: createLog({ name: 'test', level: 'error' }),
    host,
    openConnection,
    onEnded: () => events.push('ended'),
  });
  session.listen({
    onRtp: (packet) => events.push(`heard ${Buffer.from(packet)}`),
    onInterrupted: () => events.push('interrupted'),
    onRestored: () => events.push('restored'),
    onClosed: () => events.push('closed'),
  });
  return { clock, session, opened, events };
}

async function connected() {
  const made = scene();
  await made.session.negotiate(offer);
  made.opened[0]!.become('connected');
  return { ...made, first: made.opened[0]! };
}

describe('a session', () => {
  it('sends and hears once its connection is up, and not before', async () => {
    const { session, opened, events } = scene();
    const answer = await session.negotiate(offer);
    expect(answer).toEqual({ sdp: 'answer 1 of pc-1', type: 'answer', pc_id: 'pc-1' });
    session.sendRtp(Buffer.from('too early'));
    opened[0]!.become('connected');
    session.sendRtp(Buffer.from('hello'));
    opened[0]!.receive('yes?');
    expect(opened[0]!.sent).toEqual(['hello']);
    expect(events).toEqual(['heard yes?']);
  });

  it('ends when its connection does not come up in time', async () => {
    const { clock, session, events } = scene();
    await session.negotiate(offer);
    clock.advance(GRACE_MS - 1);
    expect(events).toEqual([]);
    clock.advance(1);
    expect(events).toEqual(['ended', 'closed']);
    expect(clock.pending).toBe(0);
  });

  it('ends at once when the browser closes its connection', async () => {
    const { clock, first, events } = await connected();
    first.become('closed');
    expect(events).toEqual(['ended', 'closed']);
    expect(clock.pending).toBe(0);
  });

  it.each(['disconnected', 'lost'] as const)(
    'is interrupted by a %s connection, and ends after the grace',
    async (state) => {
      const { clock, session, first, events } = await connected();
      first.become(state);
      expect(session.isConnected).toBe(false);
      expect(events).toEqual(['interrupted']);
      clock.advance(GRACE_MS);
      expect(events).toEqual(['interrupted', 'ended', 'closed']);
    },
  );

  it('is restored when the connection comes back', async () => {
    const { clock, first, events } = await connected();
    first.become('disconnected');
    clock.advance(GRACE_MS - 1);
    first.become('connected');
    clock.advance(GRACE_MS);
    expect(events).toEqual(['interrupted', 'restored']);
  });

  it('closed by its line notifies nobody', async () => {
    const { session, first, events } = await connected();
    session.close();
    expect(first.state).toBe('closed');
    expect(events).toEqual(['ended']);
  });

  it('notifies a late listener that it has closed', async () => {
    const { session } = scene();
    session.end();
    let closed = 0;
    const ignore = () => {};
    session.listen({ onRtp: ignore, onInterrupted: ignore, onRestored: ignore, onClosed: () => closed++ });
    expect(closed).toBe(1);
  });

  it('reads its connection’s figures every five seconds', async () => {
    const { clock, session } = await connected();
    expect(session.figures.roundTripMs).toBeNull();
    await clock.advanceAsync(5000, 1000);
    expect(session.figures).toEqual({
      roundTripMs: 12,
      sentBitsPerSecond: 32_000,
      receivedBitsPerSecond: 24_000,
    });
  });
});

describe('a later offer', () => {
  it('with pc_id renegotiates the connection', async () => {
    const { session, opened, events } = await connected();
    const answer = await session.negotiate({ ...offer, pc_id: 'pc-1' });
    expect(answer).toMatchObject({ sdp: 'answer 2 of pc-1', pc_id: 'pc-1' });
    expect(opened).toHaveLength(1);
    expect(events).toEqual([]);
  });

  it.each([{ pc_id: 'pc-1' }, {}])(
    'with restart_pc ($pc_id) replaces it, and the session goes on',
    async (more) => {
      const { session, opened, first, events } = await connected();
      const answer = await session.negotiate({ ...offer, ...more, restart_pc: true });
      expect(answer.pc_id).toBe('pc-2');
      expect(first.state).toBe('closed');
      expect(events).toEqual(['interrupted']);
      opened[1]!.become('connected');
      first.receive('a late packet');
      expect(events).toEqual(['interrupted', 'restored']);
    },
  );

  it('replaces a connection that mediasoup’s worker took along', async () => {
    const { session, opened, first, events } = await connected();
    first.become('lost');
    await expect(session.negotiate({ ...offer, pc_id: 'pc-1' })).rejects.toMatchObject({
      status: 409,
      code: 'webrtc_connection_lost',
    });
    await session.negotiate({ ...offer, restart_pc: true });
    opened[1]!.become('connected');
    expect(events).toEqual(['interrupted', 'restored']);
  });

  it.each([
    [{}, 409, 'webrtc_already_connected'],
    [{ pc_id: 'pc-7' }, 409, 'unknown_pc_id'],
    [{ pc_id: 'pc-1', sdp: 'v=0\r\n' }, 422, 'sdp_not_supported'],
  ])('%j is refused with %i %s, and changes nothing', async (more, status, code) => {
    const { session, first, events } = await connected();
    await expect(session.negotiate({ ...offer, ...more })).rejects.toMatchObject({ status, code });
    expect(session.isConnected).toBe(true);
    expect([first.answers, events]).toEqual([1, []]);
  });

  it('after the end is refused with 404', async () => {
    const { session } = await connected();
    session.close();
    await expect(session.negotiate(offer)).rejects.toMatchObject({ status: 404, code: 'call_not_found' });
  });

  it('waits for the one before it', async () => {
    const { session, opened } = scene();
    const [first, second] = await Promise.all([
      session.negotiate(offer),
      session.negotiate({ ...offer, restart_pc: true }),
    ]);
    expect([first.pc_id, second.pc_id]).toEqual(['pc-1', 'pc-2']);
    expect(opened.map(({ state }) => state)).toEqual(['closed', 'connecting']);
  });
});
