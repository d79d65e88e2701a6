import type { LocalVoice, SpeechRequest } from '@voice/shared/local-voice/local-voice';
import { describe, expect, it } from 'vitest';
import { CallCaptions } from '../captions/captions.js';
import { PEOPLE } from './people.js';
import { Phrasebook } from './phrasebook.js';
import { PeopleVoices } from './voices.js';

function people(modelVoice: string | undefined) {
  const asked: SpeechRequest[] = [];
  const localVoice = {
    warm: async () => {},
    async *speak(request: SpeechRequest) {
      asked.push(request);
      yield { audio: new Uint8Array(800), words: [{ text: request.text, startMs: 0, endMs: 40 }] };
    },
  } as unknown as LocalVoice;
  const phrasebook = Phrasebook.render([PEOPLE.talks], localVoice);
  return {
    voices: new PeopleVoices({ people: PEOPLE, localVoice, phrasebook, modelVoice }),
    phrasebook,
    asked,
  };
}

describe('the voices of simulated people', () => {
  it('are espeak-ng’s until the neural one is asked for, and again after', async () => {
    const { voices, phrasebook } = people('joe');
    expect(voices.scriptOf('talks')).toBe(PEOPLE.talks);
    expect(await voices.use('talks', 'model')).toBe(true);
    const script = voices.scriptOf('talks');
    expect(script).toEqual({ ...PEOPLE.talks, voice: 'joe' });
    expect((await phrasebook).phrase('joe', 'My name is Sam Taylor.').voice).toBe('joe');
    expect(voices.scriptOf('talks_over')).toBe(PEOPLE.talks_over);
    await voices.use('talks', 'espeak');
    expect(voices.scriptOf('talks')).toBe(PEOPLE.talks);
  });

  it('render their lines once', async () => {
    const { voices, asked } = people('joe');
    await voices.use('talks', 'model');
    const rendered = asked.length;
    await voices.use('talks', 'model');
    expect(asked).toHaveLength(rendered);
  });

  it('stay as they are where no neural voice is installed', async () => {
    const { voices } = people(undefined);
    expect(await voices.use('talks', 'model')).toBe(false);
    expect(voices.scriptOf('talks')).toBe(PEOPLE.talks);
  });
});

describe('what was said in a call', () => {
  it('is every utterance as far as it came', () => {
    const captions = new CallCaptions();
    const words = (...texts: string[]) =>
      texts.map((text, n) => ({ text, start_ms: n * 100, end_ms: n * 100 + 90 }));
    captions.publish({ kind: 'utterance', id: 0, words: words('Yes,', 'please.') });
    captions.publish({ kind: 'utterance', id: 1, words: words('One', 'two', 'three') });
    captions.publish({ kind: 'cut', id: 1, at_ms: 200 });
    captions.publish({ kind: 'utterance', id: 2, words: words('Never') });
    captions.publish({ kind: 'cut', id: 2, at_ms: 10 });
    expect(captions.spoken).toEqual(['Yes, please.', 'One two']);
  });
});
