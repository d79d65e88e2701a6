import { FRAME_BYTES, MULAW_SILENCE } from '@voice/shared/audio/g711';
import type { LocalVoice } from '@voice/shared/local-voice/local-voice';
import { describe, expect, it } from 'vitest';
import { PEOPLE } from './people.js';
import { Person, type PersonEvent } from './person.js';
import { Phrasebook } from './phrasebook.js';
import type { Move, PersonScript } from './script.js';

/** Says every line in `ms`, of a byte that is not silence. */
const voiceOf = (ms: number) =>
  ({
    async *speak({ text }: { text: string }) {
      yield { audio: new Uint8Array(ms * 8).fill(0x55), words: [{ text, startMs: 0, endMs: ms - 60 }] };
    },
  }) as unknown as LocalVoice;
const SPEECH = new Uint8Array(FRAME_BYTES).fill(0x10);
const SILENCE = new Uint8Array(FRAME_BYTES).fill(MULAW_SILENCE);
const speechDetector = { isSpeech: (frame: Uint8Array) => frame[0] !== MULAW_SILENCE, close: () => {} };

/** What the agent does, in ms of speech and silence in turn, beginning with silence. */
type AgentSchedule = readonly number[];

async function play(moves: readonly Move[], agent: AgentSchedule, lineMs = 1500) {
  const script: PersonScript = { ...PEOPLE.talks, moves };
  const person = new Person({
    script,
    phrasebook: await Phrasebook.render([script], voiceOf(lineMs)),
    speechDetector,
  });
  const events: (PersonEvent & { atMs: number })[] = [];
  const said: { from: number; to: number }[] = [];
  let atMs = 0;
  for (const [index, ms] of agent.entries()) {
    for (let left = ms; left > 0; left -= 20, atMs += 20) {
      const step = person.step(index % 2 === 0 ? SILENCE : SPEECH);
      events.push(...step.events.map((event) => ({ ...event, atMs })));
      if (step.frame.every((byte) => byte === MULAW_SILENCE)) continue;
      if (said.at(-1)?.to === atMs) said.at(-1)!.to = atMs + 20;
      else said.push({ from: atMs, to: atMs + 20 });
    }
  }
  const of = (type: PersonEvent['type']) =>
    events.flatMap((event) => (event.type === type ? [event.atMs] : []));
  return {
    said,
    spoke: of('speaks'),
    stopped: of('stops'),
    hungUp: of('hangs_up'),
    beeped: of('beeped'),
    person,
  };
}

const reply = (text: string): Move => ({ does: 'reply', text, gapMs: 800 });

describe('a simulated person', () => {
  it('says nothing before the agent has spoken and stopped, then answers after the gap', async () => {
    const { said, spoke } = await play([reply('Yes.')], [1000, 2000, 2500]);
    expect(spoke).toEqual([3780]);
    expect(said).toEqual([{ from: 3780, to: 5280 }]);
  });

  it('takes the pauses between sentences as part of the turn', async () => {
    const { spoke } = await play([reply('Yes.')], [0, 1000, 600, 1000, 600, 1000, 2000]);
    expect(spoke).toEqual([4980]);
  });

  it('takes no click for a turn', async () => {
    const { spoke } = await play([reply('Yes.')], [500, 40, 3000, 60, 3000]);
    expect(spoke).toEqual([]);
  });

  it('says one line a turn of the agent', async () => {
    const { spoke } = await play([reply('One.'), reply('Two.')], [0, 1000, 5000, 1000, 5000]);
    expect(spoke).toHaveLength(2);
    expect(spoke[1]!).toBeGreaterThan(7000);
  });

  it('gives the same conversation every time', async () => {
    const once = await play(PEOPLE.talks.moves, [0, 1000, 3000, 1000, 3000, 800, 4000]);
    const again = await play(PEOPLE.talks.moves, [0, 1000, 3000, 1000, 3000, 800, 4000]);
    expect(again.said).toEqual(once.said);
  });

  it('stops when it is talked over for long, and says the line again later', async () => {
    const { said, stopped, spoke } = await play([reply('A long line.')], [0, 1000, 1000, 2000, 8000], 4000);
    expect(spoke[0]).toBe(1780);
    // The agent talks into it from 2,000 on.
    expect(stopped).toEqual([2000 + 1180]);
    expect(said[0]).toEqual({ from: 1780, to: 3180 });
    expect(spoke[1]!).toBeGreaterThanOrEqual(4000 + 780);
    expect(said[1]!.to - said[1]!.from).toBe(4000);
  });

  it('finishes a line of which little is left, talked over or not', async () => {
    const { stopped, said } = await play([reply('Yes.')], [0, 1000, 780, 3000, 4000]);
    expect(stopped).toEqual([]);
    expect(said[0]!.to - said[0]!.from).toBe(1500);
  });

  it('interrupts once the agent has spoken long enough, and talks on', async () => {
    const moves: Move[] = [reply('Yes.'), { does: 'interrupt', text: 'Wait.', afterMs: 1200 }];
    const { spoke, stopped, said } = await play(moves, [0, 1000, 3000, 5000, 1000]);
    expect(spoke[1]!).toBeGreaterThanOrEqual(4000 + 1200);
    expect(spoke[1]!).toBeLessThan(4000 + 1300);
    expect(stopped).toEqual([]);
    expect(said[1]!.to - said[1]!.from).toBe(1500);
  });

  it('takes the rest of a turn that it interrupted for no answer, and waits for one', async () => {
    const moves: Move[] = [{ does: 'interrupt', text: 'Wait.', afterMs: 1200 }, reply('Thanks.')];
    // The agent goes on for half a second after the interruption, and answers a second and a half later.
    const { spoke } = await play(moves, [0, 3200, 1500, 1000, 2000]);
    expect(spoke).toEqual([1220, 3200 + 1500 + 1000 + 780]);
  });

  it('hears an answer that comes soon after the agent fell silent', async () => {
    const moves: Move[] = [{ does: 'interrupt', text: 'Wait.', afterMs: 1200 }, reply('Thanks.')];
    const { spoke } = await play(moves, [0, 3200, 400, 1000, 2000]);
    expect(spoke).toEqual([1220, 3200 + 400 + 1000 + 780]);
  });

  it('says its interruption as a reply to an agent that stops before', async () => {
    const moves: Move[] = [{ does: 'interrupt', text: 'Wait.', afterMs: 1200 }];
    const { spoke } = await play(moves, [0, 800, 3000]);
    expect(spoke).toEqual([1480]);
  });

  it('hangs up in the middle of the agent’s turn', async () => {
    const { hungUp } = await play([reply('Yes.'), { does: 'hang_up', afterMs: 1200 }], [0, 1000, 3000, 5000]);
    expect(hungUp).toEqual([4000 + 1200 + 20]);
  });

  it('hangs up when all is said and the agent has said goodbye, once', async () => {
    const { hungUp } = await play([reply('Bye.')], [0, 1000, 3000, 1000, 9000]);
    expect(hungUp).toHaveLength(1);
    expect(hungUp[0]!).toBeGreaterThanOrEqual(5000 + 4900);
  });

  it('does not wait for ever for an agent that says nothing', async () => {
    const { hungUp, spoke } = await play([reply('Yes.')], [40_000]);
    expect(spoke).toEqual([]);
    expect(hungUp).toEqual([29_980]);
  });

  it('never says a word when it is silent', async () => {
    const { said, hungUp } = await play(PEOPLE.stays_silent.moves, [0, 3000, 10_000, 3000, 60_000]);
    expect(said).toEqual([]);
    expect(hungUp).toEqual([]);
  });

  it('as voicemail: announces at once, beeps for half a second, records, ends after silence', async () => {
    const { said, beeped, hungUp, person } = await play(
      PEOPLE.voicemail.moves,
      [0, 1000, 2000, 3000, 10_000],
    );
    expect(said[0]).toEqual({ from: 0, to: 2000 });
    expect(beeped).toEqual([1980]);
    expect(hungUp[0]! - 6000).toBeGreaterThan(5500);
    expect(hungUp[0]! - 6000).toBeLessThan(6500);
    expect(person.recording.filter((byte) => byte === 0x10).length).toBe(3000 * 8);
  });
});
