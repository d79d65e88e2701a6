import type { CallUsage } from '@voice/shared/contracts/call-events';
import { describe, expect, it } from 'vitest';
import { successiveUsage } from './successive-usage.js';

const cascade = (provider: string, amount: number): CallUsage => ({
  stt: { provider, model: '', audio_ms: amount },
  llm: { provider, model: 'm', input_tokens: amount, output_tokens: 1 },
  tts: { provider, model: '', characters: amount },
  segments: [{ kind: 'tts', provider, model: '', fallback: false, characters: amount }],
});
const counts = {
  audio_ms: 5,
  input_audio_tokens: 10,
  input_text_tokens: 1,
  cached_audio_tokens: 0,
  cached_text_tokens: 0,
  output_audio_tokens: 7,
  output_text_tokens: 2,
};
const realtime = (provider: string): CallUsage => {
  const none = { provider: '', model: '' };
  return {
    stt: { ...none, audio_ms: 0 },
    llm: { ...none, input_tokens: 0, output_tokens: 0 },
    tts: { ...none, characters: 0 },
    realtime: { provider, model: 'r', ...counts },
  };
};

describe('what the agents of a call used', () => {
  it('is what the only one used', () => {
    const usage = cascade('local', 3);
    expect(successiveUsage(usage, [])).toBe(usage);
  });

  it('adds up under the names of the first; each part is whose it is', () => {
    const usage = successiveUsage(cascade('local', 3), [{ agentId: 'b', usage: cascade('acme', 4) }]);
    expect(usage).toMatchObject({
      stt: { provider: 'local', audio_ms: 7 },
      llm: { provider: 'local', input_tokens: 7, output_tokens: 2 },
      tts: { provider: 'local', characters: 7 },
    });
    expect(usage.realtime).toBeUndefined();
    expect(usage.segments).toEqual([
      { kind: 'tts', provider: 'local', model: '', fallback: false, characters: 3 },
      { kind: 'tts', provider: 'acme', model: '', fallback: false, characters: 4, agent_id: 'b' },
    ]);
  });

  it('keeps what each used in vain', () => {
    const waste = {
      kind: 'tts',
      provider: 'local',
      model: '',
      fallback: false,
      reason: 'cut_speech',
      characters: 2,
    } as const;
    const part = { ...cascade('local', 3), wasted: [waste] };
    const usage = successiveUsage(part, [{ agentId: 'b', usage: part }]);
    expect(usage.wasted).toEqual([waste, { ...waste, agent_id: 'b' }]);
    expect(successiveUsage(cascade('local', 3), [{ agentId: 'b', usage: part }]).wasted).toHaveLength(1);
  });

  it('knows a speech-to-speech model that reports totals alone', () => {
    const usage = successiveUsage(cascade('local', 3), [
      { agentId: 'b', usage: realtime('openai') },
      { agentId: 'c', usage: realtime('openai') },
    ]);
    expect(usage.realtime).toMatchObject({
      provider: 'openai',
      input_audio_tokens: 20,
      output_text_tokens: 4,
    });
    expect(usage.segments?.slice(1)).toEqual(
      ['b', 'c'].map((agent_id) => ({
        kind: 'realtime',
        provider: 'openai',
        model: 'r',
        fallback: false,
        agent_id,
        ...counts,
      })),
    );
  });
});
