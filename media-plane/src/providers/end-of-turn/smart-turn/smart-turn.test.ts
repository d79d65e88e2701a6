import { type AudioFormat, frameBytes, L16_16K, PCMU_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EndOfTurnSession } from '../port.js';
import type { FromThread, ToThread } from './messages.js';
import { SmartTurn } from './smart-turn.js';
import type { StartModelThread } from './smart-turn-client.js';

/** A thread whose model is the test's. */
class ScriptedThread {
  readonly asked: ToThread[] = [];
  stopped = false;
  readonly #listener: Parameters<StartModelThread>[0];

  constructor(listener: Parameters<StartModelThread>[0]) {
    this.#listener = listener;
  }

  post(message: ToThread): void {
    this.asked.push(message);
  }

  async stop(): Promise<void> {
    this.stopped = true;
  }

  say(message: FromThread): void {
    this.#listener.onMessage(message);
  }

  /** Answers the question that was asked last. */
  answer(probability: number): void {
    this.say({ type: 'judged', id: this.asked.at(-1)!.id, probability });
  }

  die(): void {
    this.#listener.onLost('it ended');
  }
}

let clock: ScriptedClock;
let threads: ScriptedThread[];
let detector: SmartTurn;
beforeEach(() => {
  clock = new ScriptedClock();
  threads = [];
  detector = new SmartTurn({
    clock,
    log: silentLog,
    start: (listener) => {
      const thread = new ScriptedThread(listener);
      threads.push(thread);
      return thread;
    },
  });
});

const thread = () => threads.at(-1)!;
/** A thread that has loaded its model. */
function ready(): ScriptedThread {
  thread().say({ type: 'ready' });
  return thread();
}

/** A call whose frames are numbered, and what it is answered. */
function open(format: AudioFormat = PCMU_8K) {
  const session = detector.open(format);
  const answers: number[] = [];
  let frames = 0;
  return {
    session,
    answers,
    /** Writes frames of 20 ms whose bytes are their number. */
    write(count: number) {
      for (let n = 0; n < count; n++) session.write(new Uint8Array(frameBytes(format)).fill(frames++ % 256));
    },
    ask: () => session.judge((probability) => answers.push(probability)),
  };
}

describe('a question', () => {
  it('is answered by the model, off the process’s own thread', () => {
    const call = open();
    ready();
    call.write(50);
    call.ask();
    expect(call.answers).toEqual([]);
    thread().answer(0.8);
    expect(call.answers).toEqual([0.8]);
  });

  it('holds the turn from a little before its beginning to its end', () => {
    const call = open();
    ready();
    call.write(100);
    call.session.speechStarted(1000);
    call.ask();
    const { audio, format } = thread().asked[0]!;
    expect(format).toEqual(PCMU_8K);
    // From 700 ms, the 35th frame, to 2,000 ms.
    expect(audio).toHaveLength(1300 * 8);
    expect([audio[0], audio.at(-1)]).toEqual([35, 99]);
  });

  it('holds what was said before a pause, and not the turn before', () => {
    const call = open();
    ready();
    call.write(100);
    call.session.speechStarted(1000);
    call.ask();
    thread().answer(0.2);
    call.write(50);
    call.session.speechStarted(2500);
    call.ask();
    expect(thread().asked[1]!.audio).toHaveLength(2300 * 8);
    thread().answer(0.9);
    call.write(200);
    call.session.speechStarted(6500);
    call.write(10);
    call.ask();
    expect(thread().asked[2]!.audio).toHaveLength((7200 - 6200) * 8);
  });

  it('holds no more than 8 s, in the line’s own format', () => {
    const call = open(L16_16K);
    ready();
    call.session.speechStarted(0);
    call.write(600);
    call.ask();
    expect(thread().asked[0]!.audio).toHaveLength(8000 * 32);
    expect(thread().asked[0]!.format).toEqual(L16_16K);
  });

  it('is withdrawn when the caller goes on, and when the call is closed', () => {
    const first = open();
    const second = open();
    ready();
    first.write(10);
    first.ask();
    first.session.speechStarted(150);
    thread().answer(0.9);
    second.ask();
    second.session.close();
    thread().answer(0.9);
    expect([first.answers, second.answers]).toEqual([[], []]);
    second.ask();
    expect(thread().asked).toHaveLength(2);
  });
});

describe('the queue to the thread', () => {
  it('waits for the model to load, then goes one by one', () => {
    const calls = [open(), open(), open()];
    for (const call of calls) call.ask();
    expect(threads).toHaveLength(1);
    expect(thread().asked).toHaveLength(0);
    ready();
    expect(thread().asked).toHaveLength(1);
    thread().answer(0.1);
    thread().answer(0.2);
    thread().answer(0.3);
    expect(calls.map(({ answers }) => answers)).toEqual([[0.1], [0.2], [0.3]]);
  });

  it('keeps a call’s latest question alone', () => {
    const busy = open();
    const call = open();
    ready();
    busy.ask();
    call.write(10);
    call.ask();
    call.write(10);
    call.ask();
    thread().answer(0.5);
    expect(thread().asked).toHaveLength(2);
    expect(thread().asked[1]!.audio).toHaveLength(400 * 8);
    thread().answer(0.7);
    expect(call.answers).toEqual([0.7]);
  });

  it('is bounded: the question that waits longest goes', () => {
    const busy = open();
    ready();
    busy.ask();
    const calls = Array.from({ length: 30 }, () => open());
    for (const call of calls) call.ask();
    for (let n = 0; n <= 30; n++) thread().answer(n);
    expect(thread().asked).toHaveLength(1 + 24);
    expect(calls.map(({ answers }) => answers.length)).toEqual([
      ...Array<number>(6).fill(0),
      ...Array<number>(24).fill(1),
    ]);
  });

  it('does not trouble the model with what is too late to matter', () => {
    const [busy, late, fresh] = [open(), open(), open()];
    ready();
    busy.ask();
    late.ask();
    clock.advance(900);
    fresh.ask();
    clock.advance(200);
    thread().answer(0.5);
    thread().answer(0.6);
    expect([busy.answers, late.answers, fresh.answers]).toEqual([[0.5], [], [0.6]]);
  });
});

describe('a model that fails', () => {
  it('at one question answers the next', () => {
    const [first, second] = [open(), open()];
    ready();
    first.ask();
    second.ask();
    thread().say({ type: 'failed', id: thread().asked[0]!.id, message: 'no memory' });
    thread().answer(0.4);
    expect([first.answers, second.answers]).toEqual([[], [0.4]]);
  });

  it.each([
    ['dies', () => thread().die()],
    ['hangs', () => clock.advance(5000)],
  ])('when it %s is started again after a while, and not at once', (_, fail) => {
    const call = open();
    ready();
    call.ask();
    fail();
    expect(thread().stopped).toBe(true);
    call.ask();
    expect(threads).toHaveLength(1);
    clock.advance(30_000);
    call.ask();
    expect(threads).toHaveLength(2);
    ready();
    thread().answer(0.9);
    expect(call.answers).toEqual([0.9]);
  });

  it('does not hear what a lost thread still says', () => {
    const call = open();
    const lost = ready();
    call.ask();
    lost.die();
    lost.answer(0.9);
    expect(call.answers).toEqual([]);
  });
});

describe('the thread', () => {
  it('starts with the first call that needs it, once, and ends with the process', async () => {
    expect(threads).toHaveLength(0);
    const sessions: EndOfTurnSession[] = [detector.open(PCMU_8K), detector.open(PCMU_8K)];
    expect(threads).toHaveLength(1);
    ready();
    await detector.close();
    expect(thread().stopped).toBe(true);
    sessions[0]!.judge(() => {});
    expect(threads).toHaveLength(1);
    expect(thread().asked).toHaveLength(0);
  });

  it('survives a listener that throws', () => {
    const broken = detector.open(PCMU_8K);
    const call = open();
    ready();
    broken.judge(() => {
      throw new Error('a bug');
    });
    call.ask();
    thread().answer(0.5);
    thread().answer(0.6);
    expect(call.answers).toEqual([0.6]);
  });
});
