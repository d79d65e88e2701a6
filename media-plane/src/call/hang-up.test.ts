import type { CallEventBody } from '@voice/shared/contracts/call-events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Call } from './call.js';
import { CascadedStage } from './testing/cascaded-stage.js';

const broken = (): never => {
  throw new Error('broken on purpose');
};

describe('hanging up', () => {
  afterEach(() => vi.restoreAllMocks());

  /** A call in the middle of an answer. */
  async function talking(): Promise<CascadedStage> {
    const stage = new CascadedStage({ firstMessage: 'Hello there.', answers: ['We are open until six.'] });
    await stage.pass(1500);
    await stage.callerSays('When do you close?');
    await stage.pass(500);
    return stage;
  }

  it.each<[string, (stage: CascadedStage) => void]>([
    ['an event cannot be written', (stage) => vi.spyOn(stage.emitted, 'push').mockImplementation(broken)],
    ['the line cannot be closed', (stage) => vi.spyOn(stage.line, 'close').mockImplementation(broken)],
    ['the line takes no clear', (stage) => vi.spyOn(stage.line, 'clear').mockImplementation(broken)],
    ['a follower breaks', (stage) => vi.spyOn(stage.line, 'sendEvent').mockImplementation(broken)],
    ['the decision log breaks', (stage) => vi.spyOn(stage.decided, 'push').mockImplementation(broken)],
    [
      'the recogniser cannot be closed',
      ({ recogniser }) => vi.spyOn(recogniser, 'closed').mockImplementation(broken),
    ],
  ])('reaches its end although %s', async (_, breakIt) => {
    const stage = await talking();
    breakIt(stage);
    expect(() => stage.line.listener!.onClosed()).not.toThrow();
    expect([stage.over, stage.call.ended]).toEqual([true, true]);
    await stage.pass(100);
    expect(stage.clock.pending).toBe(0);
  });

  it('has its last event, and its usage where that can be read, although all else is broken', async () => {
    const stage = await talking();
    vi.spyOn(stage.recogniser, 'closed').mockImplementation(broken);
    vi.spyOn(stage.line, 'clear').mockImplementation(broken);
    stage.call.end('operator_hangup');
    expect(stage.of('ended')).toMatchObject([
      { end_reason: 'operator_hangup', usage: { llm: { input_tokens: 10, output_tokens: 5 } } },
    ]);
    expect(stage.line.sent.at(-1)).toBe('close');
  });
});

describe('a call whose events cannot be written', () => {
  it('goes on talking, and never throws at its line or its timers', async () => {
    const stage = new CascadedStage({ firstMessage: 'Hello there.', answers: ['We are open until six.'] });
    const written: CallEventBody[] = [];
    const push = vi.spyOn(stage.emitted, 'push').mockImplementation(broken);
    await stage.pass(1500);
    await stage.callerSays('When do you close?');
    push.mockImplementation((...bodies) => written.push(...bodies));
    await stage.pass(3000);
    expect(stage.model.requests).toHaveLength(1);
    expect(written).toMatchObject(
      expect.arrayContaining([
        { kind: 'turn', turn: expect.objectContaining({ text: 'We are open until six.' }) },
      ]),
    );
    expect(stage.call).toBeInstanceOf(Call);
    stage.call.end('operator_hangup');
    expect(stage.over).toBe(true);
  });
});
