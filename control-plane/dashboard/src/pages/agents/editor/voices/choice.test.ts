import { describe, expect, it } from 'vitest';
import { isVoice, withVoice } from './choice.js';

const rachel = { voice_config: { provider: 'elevenlabs', model: '', params: { voice_id: 'r' } } };
const thalia = { voice_config: { provider: 'deepgram', model: 'aura-2-thalia-en', params: {} } };

describe('choosing a voice', () => {
  it('keeps model and settings of the same provider', () => {
    const before = {
      provider: 'elevenlabs',
      model: 'eleven_turbo_v2_5',
      params: { voice_id: 'd', speed: 1.1 },
    };
    expect(withVoice(before, rachel)).toEqual({ ...before, params: { voice_id: 'r', speed: 1.1 } });
  });

  it('begins anew with another provider', () => {
    const before = { provider: 'elevenlabs', model: 'eleven_turbo_v2_5', params: { speed: 1.1 } };
    expect(withVoice(before, thalia)).toEqual(thalia.voice_config);
  });

  it('is known as chosen by what names it alone', () => {
    expect(isVoice({ provider: 'elevenlabs', model: 'x', params: { voice_id: 'r', speed: 1 } }, rachel)).toBe(
      true,
    );
    expect(isVoice({ provider: 'elevenlabs', model: 'x', params: { voice_id: 'd' } }, rachel)).toBe(false);
    expect(isVoice({ provider: 'deepgram', model: '', params: {} }, thalia)).toBe(false);
  });
});
