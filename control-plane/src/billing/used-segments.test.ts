import type { CallUsage, UsageSegment, UsageWaste } from '@voice/shared/contracts/call-events';
import { describe, expect, it } from 'vitest';
import { type CountedUsage, totalsOf, usedSegments, wastedSegments } from './used-segments.js';

const choice = (provider: string, params = {}) => ({ provider, model: '', params });
const agent = {
  voice_config: { stt: choice('deepgram'), llm: choice('openai'), tts: choice('elevenlabs') },
  fallback_voice_config: {},
};
const llm = (fields: Partial<Extract<UsageSegment, { kind: 'llm' }>> = {}): UsageSegment => ({
  kind: 'llm',
  provider: 'openai',
  model: 'gpt-4.1-mini',
  fallback: false,
  input_tokens: 1000,
  output_tokens: 50,
  ...fields,
});
const totals: CallUsage = {
  stt: { provider: 'deepgram', model: 'nova-3', audio_ms: 60_000 },
  llm: { provider: 'openai', model: 'gpt-4.1-mini', input_tokens: 1000, output_tokens: 50 },
  tts: { provider: 'elevenlabs', model: '', characters: 300 },
};
const counted = (fields: Partial<CountedUsage> = {}): CountedUsage => ({
  usage: { ...totals, segments: [llm()] },
  agent,
  proxied: [],
  analysis: null,
  ...fields,
});
const tokens = (model: string, inputTokens: number, outputTokens: number) => ({
  model,
  inputTokens,
  outputTokens,
});
const segmentsOf = (fields: Partial<CountedUsage>) =>
  usedSegments(counted(fields)).map(({ segment }) => segment);

describe('what a call used in vain', () => {
  const waste = {
    reason: 'dropped_guess' as const,
    kind: 'llm' as const,
    provider: 'openai',
    model: 'gpt-4.1-mini',
  };
  const tokensInVain = { input_tokens: 100, output_tokens: 5 };

  it('is what its worker says, on the account of the one that used it', () => {
    const usage = {
      ...totals,
      wasted: [
        { ...waste, fallback: false, ...tokensInVain },
        { ...waste, fallback: true, ...tokensInVain },
      ],
    };
    const own = choice('openai', { api_key: 'own' });
    const paidByTenant = { ...agent, fallback_voice_config: { llm: own } };
    expect(wastedSegments({ usage, agent: paidByTenant })).toEqual([
      { segment: llm(tokensInVain), own: false },
      { segment: llm({ ...tokensInVain, fallback: true }), own: true },
    ]);
  });

  it('is nothing where the worker names nothing, or is gone', () => {
    expect(wastedSegments({ usage: totals, agent })).toEqual([]);
    expect(wastedSegments({ usage: null, agent })).toEqual([]);
  });
});

describe('what a call used', () => {
  it('is what its worker reports by provider and model; of one that reports no segments, the totals', () => {
    expect(segmentsOf({})).toEqual([llm()]);
    expect(segmentsOf({ usage: totals })).toEqual([
      { kind: 'stt', fallback: false, ...totals.stt },
      llm(),
      { kind: 'tts', fallback: false, ...totals.tts },
    ]);
    expect(segmentsOf({ usage: null })).toEqual([]);
  });

  // @rule 1.11
  it('is on the account of the agent that it was used for', () => {
    const handedTo = (id: string, params = {}) => ({
      id,
      voice_config: { stt: choice('deepgram'), llm: choice('openai', params), tts: choice('elevenlabs') },
      fallback_voice_config: {},
    });
    const used = usedSegments(
      counted({
        usage: { ...totals, segments: [llm(), llm({ agent_id: 'b' }), llm({ agent_id: 'c' })] },
        laterAgents: [handedTo('b', { api_key: 'own' }), handedTo('c')],
      }),
    );
    expect(used.map(({ own }) => own)).toEqual([false, true, false]);
    const inVain = { ...llm({ agent_id: 'b' }), kind: 'llm', reason: 'cut_speech' } as UsageWaste;
    const laterAgents = [handedTo('b', { api_key: 'own' })];
    const wasted = wastedSegments({ usage: { ...totals, wasted: [inVain] }, agent, laterAgents });
    expect(wasted).toEqual([{ segment: llm({ agent_id: 'b' }), own: true }]);
  });

  // @rule 1.11
  it.each([
    ['the same answers', [tokens('gpt-4.1-mini', 1000, 50)], [1000, 50]],
    ['answers that the worker did not hear the end of', [tokens('gpt-4.1-mini', 1500, 90)], [1500, 90]],
    ['fewer, as one could not be noted', [tokens('gpt-4.1-mini', 600, 20)], [1000, 50]],
    ['nothing but what was broken off', [tokens('gpt-4.1-mini', 0, 0)], [1000, 50]],
    ['one that is longer by a word', [tokens('gpt-4.1-mini', 1000, 51)], [1000, 51]],
    ['one that is shorter by a word', [tokens('gpt-4.1-mini', 1000, 49)], [1000, 50]],
    ['another model besides', [tokens('gpt-4.1', 10, 1)], [1010, 51]],
  ] as const)('counts no answer twice where the proxy counted %s', (_, proxied, [input, output]) => {
    expect(totalsOf(usedSegments(counted({ proxied })))).toMatchObject({
      llm_input_tokens: input,
      llm_output_tokens: output,
    });
  });

  it('of a speech-to-speech agent, without segments: the realtime totals, and its fallback for the rest', () => {
    const realtime = {
      provider: 'openai',
      model: 'gpt-realtime',
      audio_ms: 60_000,
      input_audio_tokens: 600,
      input_text_tokens: 100,
      cached_audio_tokens: 0,
      cached_text_tokens: 64,
      output_audio_tokens: 400,
      output_text_tokens: 90,
    };
    const usage = { ...totals, realtime };
    expect(segmentsOf({ usage })).toEqual([
      { kind: 'realtime', fallback: false, ...realtime },
      { kind: 'stt', fallback: true, ...totals.stt },
      llm({ fallback: true }),
      { kind: 'tts', fallback: true, ...totals.tts },
    ]);
    const { provider: _p, model: _m, ...counts } = realtime;
    const sums = totalsOf(usedSegments(counted({ usage })));
    expect(sums.realtime).toEqual(counts);
    expect(sums.llm_input_tokens).toBe(1000);
  });

  it('is known by the proxy where the worker died', () => {
    expect(segmentsOf({ usage: null, proxied: [tokens('gpt-4.1-mini', 700, 30)] })).toEqual([
      llm({ input_tokens: 700, output_tokens: 30 }),
    ]);
  });

  it('leaves the segments of other providers and other accounts to the worker', () => {
    const local = llm({ provider: 'local', model: '' });
    const usage = { ...totals, segments: [local, llm()] };
    expect(segmentsOf({ usage, proxied: [tokens('gpt-4.1-mini', 2000, 90)] })).toEqual([
      local,
      llm({ input_tokens: 2000, output_tokens: 90 }),
    ]);
  });

  it("has the analysis as the agent's language model's", () => {
    expect(segmentsOf({ analysis: tokens('gpt-4.1-mini', 400, 100) })).toEqual([
      llm(),
      llm({ input_tokens: 400, output_tokens: 100 }),
    ]);
  });
});

describe("what runs on the tenant's own account", () => {
  const KEY = { api_key: 'k' };
  const own = (fields: Partial<CountedUsage>) => usedSegments(counted(fields)).map(({ own }) => own);

  it('is separate for first choices and fallbacks', () => {
    const usage = { ...totals, segments: [llm(), llm({ fallback: true })] };
    const first = { ...agent.voice_config, llm: choice('openai', { base_url: 'https://llm.example.com' }) };
    expect(own({ usage, agent: { ...agent, voice_config: first } })).toEqual([true, false]);
    expect(
      own({ usage, agent: { ...agent, fallback_voice_config: { llm: choice('openai', KEY) } } }),
    ).toEqual([false, true]);
  });

  it('is asked for the analysis, too', () => {
    const voice_config = { ...agent.voice_config, llm: choice('openai', KEY) };
    const analysis = tokens('gpt-4.1-mini', 400, 100);
    expect(own({ analysis, agent: { ...agent, voice_config } })).toEqual([true, true]);
  });

  it('of a speech-to-speech agent is everything, its analysis included', () => {
    const voice_config = { realtime: choice('openai', KEY) };
    const analysis = tokens('gpt-4.1-mini', 400, 100);
    expect(own({ usage: totals, analysis, agent: { ...agent, voice_config } })).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it('of a speech-to-speech agent is its analysis by the key that the tenant has at the vendor', () => {
    const analysis = tokens('gemini-3.8-flash', 400, 100);
    const gemini = { voice_config: { realtime: choice('gemini') }, fallback_voice_config: {} };
    const by = (own_vendors: string[]) => own({ usage: null, analysis, agent: { ...gemini, own_vendors } });
    expect([by(['gemini']), by(['openai'])]).toEqual([[true], [false]]);
  });

  it('keeps what the worker reported where the proxy counted just as much', () => {
    const reported = llm({ fallback: true });
    const proxied = [tokens('gpt-4.1-mini', 1000, 50)];
    expect(segmentsOf({ usage: { ...totals, segments: [reported] }, proxied })).toEqual([reported]);
  });

  it("takes the proxy's word for its own model on the platform's account, and for nothing else", () => {
    const speechToText: UsageSegment = {
      kind: 'stt',
      provider: 'openai',
      model: 'gpt-4.1-mini',
      fallback: false,
      audio_ms: 1000,
    };
    const proxied = [tokens('gpt-4.1-mini', 1500, 90)];
    const longer = llm({ input_tokens: 1500, output_tokens: 90 });
    expect(usedSegments(counted({ usage: { ...totals, segments: [speechToText, llm()] }, proxied }))).toEqual(
      [
        { segment: speechToText, own: false },
        { segment: longer, own: false },
      ],
    );
    const ownAgent = {
      ...agent,
      voice_config: { ...agent.voice_config, llm: choice('openai', { api_key: 'own' }) },
    };
    expect(usedSegments(counted({ agent: ownAgent, proxied }))).toEqual([
      { segment: llm(), own: true },
      { segment: longer, own: false },
    ]);
  });

  it('adds up by kind', () => {
    const figures = {
      audio_ms: 7,
      input_audio_tokens: 6,
      input_text_tokens: 5,
      cached_audio_tokens: 4,
      cached_text_tokens: 3,
      output_audio_tokens: 2,
      output_text_tokens: 1,
    };
    const all: UsageSegment[] = [
      { kind: 'stt', fallback: false, ...totals.stt },
      { kind: 'stt', fallback: true, ...totals.stt, audio_ms: 500 },
      llm(),
      llm({ input_tokens: 7, output_tokens: 3 }),
      { kind: 'tts', fallback: false, ...totals.tts },
      { kind: 'tts', fallback: true, ...totals.tts, characters: 11 },
      { kind: 'realtime', provider: 'openai', model: '', fallback: false, ...figures },
    ];
    expect(totalsOf(all.map((segment) => ({ segment, own: false })))).toEqual({
      stt_audio_ms: 60_500,
      llm_input_tokens: 1007,
      llm_output_tokens: 53,
      tts_characters: 311,
      realtime: figures,
    });
  });
});
