import { PCMU_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import type { TurnListener } from '../port.js';
import { startResponse } from './response-turn.js';
import type { ResponseSink, SessionLink } from './session-link.js';

function scene({ mayBeSilent = false } = {}) {
  let sink!: ResponseSink;
  let cancelled = 0;
  const heard = { bytes: 0, words: '' };
  const link = {
    respond: (_request: unknown, given: ResponseSink) => {
      sink = given;
      return {
        cancel: () => {
          cancelled++;
        },
      };
    },
  } as unknown as SessionLink;
  const listener = {
    onFirstToken: () => {},
    onGenerated: () => {},
    onToolCall: () => {},
    onSentence: (words: string) => {
      heard.words += words;
    },
    onAudio: ({ audio }: { readonly audio: Uint8Array }) => {
      heard.bytes += audio.length;
    },
  } as unknown as TurnListener;
  const clock = new ScriptedClock();
  const { finished } = startResponse(
    {
      link,
      clock,
      provider: 'openai',
      request: undefined,
      firstOutputMs: 1500,
      format: PCMU_8K,
      listener,
      mayBeSilent,
      onFirst: () => {},
      onSaid: () => {},
    },
    new AbortController().signal,
  );
  let failure: unknown;
  finished.catch((error: unknown) => {
    failure = error;
  });
  return { clock, sink, finished, heard, cancelled: () => cancelled, failure: () => failure };
}

it.each<[string, (sink: ResponseSink) => void]>([
  ['audio', (sink) => sink.onAudio(new Uint8Array(1024 * 1024))],
  ['words', (sink) => sink.onText('x'.repeat(10_000))],
])('gives up a model that answers without an end, by its %s', async (_what, more) => {
  const { sink, finished, heard, cancelled } = scene();
  for (let n = 0; n < 100; n++) more(sink);
  await expect(finished).rejects.toMatchObject({ code: 'realtime_protocol_violation' });
  expect(cancelled()).toBe(1);
  expect(heard.bytes).toBeLessThanOrEqual(32 * 1024 * 1024);
  sink.onFinished('cancelled', undefined);
  expect(heard.words.length).toBeLessThanOrEqual(100_000);
});

describe('a response that stalls', () => {
  const second = new Uint8Array(8000);

  it('fails when nothing has come for two seconds after all that came may have been heard', async () => {
    const { clock, sink, failure, cancelled } = scene();
    sink.onAudio(second);
    await clock.advanceAsync(500);
    sink.onAudio(second);
    await clock.advanceAsync(1500 + 1900);
    expect(failure()).toBeUndefined();
    await clock.advanceAsync(100);
    expect(failure()).toMatchObject({ code: 'realtime_timed_out', retryable: true });
    expect(cancelled()).toBe(1);
  });

  it('does not fail as long as its audio, its words or its tool calls go on', async () => {
    const { clock, sink, finished } = scene();
    sink.onAudio(second);
    for (let n = 0; n < 5; n++) {
      await clock.advanceAsync(1900);
      sink.onAudio(new Uint8Array(8));
      await clock.advanceAsync(1900);
      sink.onText('and ');
      await clock.advanceAsync(1900);
      sink.onToolCallPart();
    }
    sink.onFinished('completed', undefined);
    await expect(finished).resolves.toBeUndefined();
  });

  it('is over when it has ended, however long it is heard', async () => {
    const { clock, sink, finished, cancelled } = scene();
    sink.onAudio(new Uint8Array(80_000));
    sink.onFinished('completed', undefined);
    await finished;
    await clock.advanceAsync(60_000);
    expect(cancelled()).toBe(0);
  });

  it('has not begun by words alone, but a tool call that is being written is a sign of life', async () => {
    const mute = scene();
    mute.sink.onText('Hello');
    await mute.clock.advanceAsync(1500);
    expect(mute.failure()).toMatchObject({ code: 'realtime_timed_out' });
    const writing = scene();
    await writing.clock.advanceAsync(1000);
    writing.sink.onToolCallPart();
    await writing.clock.advanceAsync(1900);
    expect(writing.failure()).toBeUndefined();
  });
});

describe('a response without a word', () => {
  it('fails when the caller waits for one', async () => {
    const { sink, finished } = scene();
    sink.onFinished('completed', undefined);
    await expect(finished).rejects.toMatchObject({ code: 'realtime_protocol_violation', retryable: true });
  });

  it('is one like others when the model calls a tool, needs no word, or was cancelled', async () => {
    const calling = scene();
    calling.sink.onToolCall({ id: 'c1', name: 'book', arguments: '{}' });
    calling.sink.onFinished('completed', undefined);
    await expect(calling.finished).resolves.toBeUndefined();
    const done = scene({ mayBeSilent: true });
    done.sink.onFinished('completed', undefined);
    await expect(done.finished).resolves.toBeUndefined();
    const cancelled = scene();
    cancelled.sink.onFinished('cancelled', undefined);
    await expect(cancelled.finished).resolves.toBeUndefined();
  });
});
