import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { expect, it } from 'vitest';
import type { TurnListener } from '../port.js';
import { startResponse } from './response-turn.js';
import type { ResponseSink, SessionLink } from './session-link.js';

function scene() {
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
    onSentence: (words: string) => {
      heard.words += words;
    },
    onAudio: ({ audio }: { readonly audio: Uint8Array }) => {
      heard.bytes += audio.length;
    },
  } as unknown as TurnListener;
  const { finished } = startResponse(
    {
      link,
      clock: new ScriptedClock(),
      provider: 'openai',
      request: undefined,
      firstOutputMs: 1500,
      listener,
      onFirst: () => {},
      onSaid: () => {},
    },
    new AbortController().signal,
  );
  return { sink, finished, heard, cancelled: () => cancelled };
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
