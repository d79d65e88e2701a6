import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RealtimeEvent } from '../port.js';
import { Generations } from './generations.js';

const BYTES_PER_MS = 8;
const audio = (ms: number) => ({ type: 'audio' as const, audio: new Uint8Array(ms * BYTES_PER_MS) });
const text = (delta: string) => ({ type: 'text' as const, delta });

let clock: ScriptedClock;
let events: RealtimeEvent[];
let generations: Generations;

beforeEach(() => {
  clock = new ScriptedClock();
  events = [];
  generations = new Generations({ clock, bytesPerMs: BYTES_PER_MS, publish: (event) => events.push(event) });
});

/** Events in short: `started 1`, `text 1 Hello`, `completed 1`. */
async function reported(): Promise<string[]> {
  await Promise.resolve();
  return events.map((event) => {
    switch (event.type) {
      case 'response_started':
        return `started ${event.response}`;
      case 'text':
        return `text ${event.response} ${event.delta}`;
      case 'audio':
        return `audio ${event.response}`;
      case 'response_finished':
        return `${event.outcome} ${event.response}`;
      default:
        return event.type;
    }
  });
}

describe('answers in the order of the server', () => {
  it('reports an answer that was asked for as it comes', async () => {
    generations.expect('request', [], 1);
    generations.content(text('Hello.'));
    generations.content(audio(40));
    generations.complete();
    expect(await reported()).toEqual(['started 1', 'text 1 Hello.', 'audio 1', 'completed 1']);
    // The server takes it to be played until its turn is complete.
    expect(generations.wanted).toBe(true);
    generations.turnComplete();
    expect(generations.busy).toBe(false);
  });

  it('keeps what comes before it is asked for, also beyond the end of its turn', async () => {
    generations.expect('turn', []);
    generations.content(text('Hello.'));
    generations.complete();
    generations.turnComplete();
    expect(await reported()).toEqual([]);
    generations.flush(generations.claim(1)!);
    expect(await reported()).toEqual(['started 1', 'text 1 Hello.', 'completed 1']);
    expect(generations.claim(2)).toBeUndefined();
  });

  it('drops what nobody asked for', async () => {
    generations.expect('turn', []);
    generations.content(text('Hello.'));
    expect(generations.dropUnclaimed()).toHaveLength(1);
    generations.content(text('Hello again.'));
    generations.complete();
    generations.turnComplete();
    expect(generations.claim(1)).toBeUndefined();
    expect(await reported()).toEqual([]);
  });

  it('gives the rest of an interrupted answer to nobody, and the next one to its number', async () => {
    generations.expect('request', [], 1);
    generations.content(text('One'));
    generations.supersede();
    await Promise.resolve();
    generations.expect('request', [], 2);
    generations.content(text(' and a half'));
    generations.interrupted();
    generations.turnComplete();
    generations.content(text('Two'));
    expect(await reported()).toEqual(['started 1', 'text 1 One', 'cancelled 1', 'started 2', 'text 2 Two']);
  });

  it('takes what follows at once for the rest of an answer that was interrupted before it began', async () => {
    generations.expect('request', [], 1);
    generations.supersede();
    await Promise.resolve();
    generations.expect('request', [], 2);
    clock.advance(100);
    generations.content(text('One'));
    generations.interrupted();
    generations.turnComplete();
    generations.content(text('Two'));
    expect(await reported()).toEqual(['cancelled 1', 'started 2', 'text 2 Two']);
  });

  it('takes what comes later for the next answer where the server left the interrupted one out', async () => {
    generations.expect('request', [], 1);
    generations.supersede();
    await Promise.resolve();
    const next = generations.expect('request', [], 2);
    clock.advance(400);
    generations.content(text('Two, '));
    clock.advance(400);
    generations.content(text('whole.'));
    generations.complete();
    expect(await reported()).toEqual([
      'cancelled 1',
      'started 2',
      'text 2 Two, ',
      'text 2 whole.',
      'completed 2',
    ]);
    expect(next.text).toBe('Two, whole.');
  });

  it('keeps the end of a tool-calling turn apart from the end of the answer to its result', async () => {
    generations.expect('request', [], 1);
    generations.content({ type: 'tool_call', call: { id: 'a', name: 'book', arguments: '{}' } });
    generations.complete();
    generations.endOfCalls();
    generations.expect('tool', [], 2);
    generations.turnComplete();
    generations.content(text('Booked.'));
    generations.complete();
    expect(await reported()).toEqual([
      'started 1',
      'tool_call',
      'completed 1',
      'started 2',
      'text 2 Booked.',
      'completed 2',
    ]);
  });

  it('reports an empty answer as complete', async () => {
    generations.expect('request', [], 1);
    generations.turnComplete();
    expect(await reported()).toEqual(['started 1', 'completed 1']);
  });
});
