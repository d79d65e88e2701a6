import { describe, expect, it } from 'vitest';
import { NO_REALTIME_USAGE, type RealtimeEvent } from '../../providers/realtime/port.js';
import { UncountedResponses } from './uncounted-responses.js';

describe('a response that the provider has not counted', () => {
  const counted: RealtimeEvent = {
    type: 'usage',
    usage: {
      ...NO_REALTIME_USAGE,
      inputAudioTokens: 100,
      inputTextTokens: 50,
      cachedTextTokens: 40,
      outputAudioTokens: 9,
    },
  };
  const text = (response: number, delta: string): RealtimeEvent => ({ type: 'text', response, delta });
  const ended = (response: number, outcome: 'completed' | 'cancelled' | 'failed'): RealtimeEvent => ({
    type: 'response_finished',
    response,
    outcome,
  });

  /** A session that is ready, has requested these responses, and saw this when it had sent 2 s of audio. */
  function session(requested: readonly number[], ...events: readonly RealtimeEvent[]): UncountedResponses {
    const responses = new UncountedResponses([{ role: 'user', text: 'x'.repeat(24) }], 16);
    responses.saw({ type: 'ready' }, 0);
    for (const number of requested) responses.requested(number);
    for (const event of events) responses.saw(event, 2000);
    return responses;
  }

  it('is estimated by what the session was given and what was said, once', () => {
    const responses = session([1], text(1, 'I am an automated assistant.'), text(1, ' H'));
    const estimate = {
      inputAudioTokens: 20,
      inputTextTokens: 10,
      outputAudioTokens: 40,
      outputTextTokens: 8,
    };
    expect(responses.take(2000, false)).toEqual([{ ...NO_REALTIME_USAGE, ...estimate }]);
    expect(responses.take(2000, false)).toEqual([]);
  });

  it('has the input of the response before it, and the audio since', () => {
    const responses = session([1], text(1, 'Hello.'), counted, ended(1, 'completed'));
    responses.requested(2);
    expect(responses.take(5000, false)).toEqual([
      { ...NO_REALTIME_USAGE, inputAudioTokens: 130, inputTextTokens: 50, cachedTextTokens: 40 },
    ]);
  });

  it('is none where its count comes before its end, or after it', () => {
    expect(session([1], text(1, 'Hi.'), counted, ended(1, 'completed')).take(0, false)).toEqual([]);
    expect(session([1], text(1, 'Hi.'), ended(1, 'completed'), counted).take(0, false)).toEqual([]);
    const transcription: RealtimeEvent = { type: 'usage', usage: NO_REALTIME_USAGE, of: 'transcription' };
    expect(session([1], text(1, 'Hi.'), transcription).take(0, false)).toHaveLength(1);
  });

  it('is estimated where it was cancelled or its count is still to come, and the one before was answered', () => {
    expect(session([1], text(1, 'Hi.'), ended(1, 'cancelled')).take(0, false)).toHaveLength(1);
    const overdue = session([1], text(1, 'Hi.'), ended(1, 'completed'));
    overdue.requested(2);
    overdue.saw(text(2, 'Hello.'), 0);
    overdue.saw(ended(2, 'completed'), 0);
    expect(overdue.take(0, false)).toMatchObject([{ outputTextTokens: 2 }]);
  });

  it('is none where the model cannot have begun it', () => {
    const refused = session([1], ended(1, 'failed'));
    expect(refused.take(0, false)).toEqual([]);
    const unconnected = new UncountedResponses([], 0);
    unconnected.requested(1);
    expect(unconnected.take(0, false)).toEqual([]);
    // A model has one mouth: the second one waits for the end of the first.
    expect(session([1, 2]).take(0, false)).toHaveLength(1);
    // What broke may have refused it.
    expect(session([1]).take(0, true)).toEqual([]);
    expect(session([1], text(1, 'Hi.')).take(0, true)).toHaveLength(1);
  });
});
