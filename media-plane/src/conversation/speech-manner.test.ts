import { describe, expect, it } from 'vitest';
import { speechManner } from './speech-manner.js';

const voice = (provider: string, model = '') => ({ provider, model, params: {} });

describe('what has to be done to a text for a voice', () => {
  it('is what the catalogue says that the model cannot do', () => {
    expect(speechManner('en', voice('elevenlabs'), undefined)).toEqual({
      language: 'en',
      writesOut: true,
      startsMidClause: true,
    });
    const large = speechManner('en', voice('elevenlabs', 'eleven_multilingual_v2'), undefined);
    expect(large.writesOut).toBe(false);
    expect(speechManner('en', voice('local'), undefined)).toMatchObject({
      writesOut: true,
      startsMidClause: false,
    });
  });

  it('is also what the voice that may take over cannot do', () => {
    const manner = speechManner('en', voice('elevenlabs', 'eleven_multilingual_v2'), voice('local'));
    expect(manner.writesOut).toBe(true);
  });
});
