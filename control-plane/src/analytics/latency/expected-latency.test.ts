import { type TurnTakingSettings, turnTakingSettings, type VoiceConfig } from '@voice/shared/contracts/agent';
import { describe, expect, it } from 'vitest';
import { expectedLatency } from './expected-latency.js';
import type { HeldTurn } from './stage-figures.js';

const choice = (provider: string, model = '', params: Record<string, unknown> = {}) => ({
  provider,
  model,
  params,
});
const cascade = (stt = choice('deepgram', 'nova-3')): VoiceConfig => ({
  stt,
  llm: choice('openai', 'gpt-4.1-mini'),
  tts: choice('elevenlabs', 'eleven_flash_v2_5'),
});
const settingsOf = (change: Partial<TurnTakingSettings> = {}) => turnTakingSettings.parse(change);
const expected = (
  change: Partial<TurnTakingSettings>,
  held: readonly HeldTurn[] = [],
  voice_config: VoiceConfig = cascade(),
) => expectedLatency({ voice_config, turn_taking: settingsOf(change) }, held);
const addsOf = ({ parts }: ReturnType<typeof expected>) =>
  Object.fromEntries(parts.map(({ stage, addsMs }) => [stage, addsMs]));

/** Six turns: the final text at 300 ms, the model 500, the voice 100, the pipeline 10. */
const turns = (change: Partial<TurnTakingSettings> = {}, stages: Partial<HeldTurn> = {}): HeldTurn[] =>
  Array.from({ length: 6 }, () => ({
    endOfTurnMs: 400,
    finalTextMs: 300,
    firstTokenMs: 900,
    firstAudioMs: 1000,
    responseMs: 1010,
    preempted: false,
    settings: settingsOf({ preemptive_generation: 'off', ...change }),
    ...stages,
  }));

describe('the expected latency', () => {
  it('is what calls with the same configuration came to', () => {
    const same = expected({ preemptive_generation: 'off' }, turns());
    expect(same).toMatchObject({ basis: 'measured', responseMs: 1010, isAtLeast: false, turns: 6 });
    // Fillers and prompts say nothing of when it answers.
    expect(expected({ preemptive_generation: 'off', fillers: [] }, turns()).basis).toBe('measured');
    expect(expected({ preemptive_generation: 'off' }, turns().slice(0, 4)).basis).toBe('composed');
  });

  it('follows the pause that ends a turn, and the longest one', () => {
    const held = turns();
    const at = (min_endpointing_ms: number, max_endpointing_ms = 3000) =>
      expected({ preemptive_generation: 'off', min_endpointing_ms, max_endpointing_ms }, held);
    expect([at(700), at(1000)].map(({ responseMs }) => responseMs)).toEqual([1310, 1610]);
    // Not before the recogniser's final text, nor before an end of speech is known.
    expect(at(250).responseMs).toBe(910);
    expect(addsOf(at(250))).toMatchObject({ end_of_turn: 250, recognition: 50 });
    expect(addsOf(at(0))).toMatchObject({ end_of_turn: 200, recognition: 100 });
    expect([at(700), at(700, 5000)].map(({ inDoubtMs }) => inDoubtMs)).toEqual([3610, 5610]);
  });

  it('takes off what is prepared while the pause still runs, from the final text on', () => {
    const at = (
      preemptive_generation: TurnTakingSettings['preemptive_generation'],
      min_endpointing_ms = 1000,
    ) => expected({ preemptive_generation, min_endpointing_ms }, turns());
    expect(addsOf(at('off'))).toMatchObject({ end_of_turn: 1000, model: 500, voice: 100, runtime: 10 });
    expect(addsOf(at('llm'))).toMatchObject({ model: 0, voice: 100 });
    expect(addsOf(at('llm_and_voice'))).toMatchObject({ model: 0, voice: 0 });
    expect(addsOf(at('llm', 700))).toMatchObject({ model: 100, voice: 100 });
    expect(addsOf(at('llm_and_voice', 850))).toMatchObject({ model: 0, voice: 50 });
  });

  it('agrees with our bench of early answers to 20 ms', () => {
    const bench = turns({}, { endOfTurnMs: 500, firstTokenMs: 700, firstAudioMs: 800, responseMs: 804 });
    const at = (preemptive_generation: TurnTakingSettings['preemptive_generation']) =>
      expected({ preemptive_generation, min_endpointing_ms: 500 }, bench).responseMs;
    for (const [early, measured] of [
      ['off', 812],
      ['llm', 605],
      ['llm_and_voice', 604],
    ] as const) {
      expect(Math.abs(at(early) - measured), early).toBeLessThanOrEqual(20);
    }
  });

  it('counts nothing as prepared where most early answers did not fit, or nobody knows when they begin', () => {
    const dropped = turns({ preemptive_generation: 'llm', min_endpointing_ms: 900 }, { endOfTurnMs: 400 });
    expect(addsOf(expected({ preemptive_generation: 'llm' }, dropped))).toMatchObject({ model: 500 });
    const unheard = turns({}, { finalTextMs: null });
    expect(addsOf(expected({ preemptive_generation: 'llm' }, unheard))).toMatchObject({ model: 500 });
  });

  it('takes a model for as slow as it can have been where it was always asked early', () => {
    const early = turns({ preemptive_generation: 'llm' }, { preempted: true, firstTokenMs: 800 });
    const { parts } = expected({ preemptive_generation: 'off' }, early);
    expect(parts).toContainEqual(expect.objectContaining({ stage: 'model', ms: 800, source: 'own_calls' }));
  });

  it('says without calls whose figures it adds up, and that it will be more', () => {
    const { parts, isAtLeast, responseMs, basis } = expected({});
    expect(parts.map(({ stage, ms, source }) => [stage, ms, source])).toEqual([
      ['end_of_turn', 400, 'settings'],
      ['recognition', null, 'unknown'],
      ['model', null, 'unknown'],
      ['voice', 75, 'vendor'],
      ['runtime', 28, 'platform'],
    ]);
    expect(parts.find(({ stage }) => stage === 'voice')?.basis).toContain('https://elevenlabs.io/');
    expect({ isAtLeast, responseMs, basis }).toEqual({ isAtLeast: true, responseMs: 503, basis: 'composed' });
    const local = { stt: choice('local'), llm: choice('local'), tts: choice('local') };
    expect(expected({}, [], local)).toMatchObject({ isAtLeast: false, responseMs: 532 });
    const own = { ...local, stt: choice('deepgram', 'nova-3', { base_url: 'https://own.example' }) };
    expect(expected({}, [], own).isAtLeast).toBe(true);
  });

  it('leaves the end of a turn to a recogniser that decides it, up to the longest pause', () => {
    const flux = cascade(choice('deepgram', 'flux-general-en'));
    const at = (change: Partial<TurnTakingSettings>) => addsOf(expected(change, [], flux));
    expect(at({ min_endpointing_ms: 900 })).toMatchObject({ end_of_turn: 260 });
    expect(at({ min_endpointing_ms: 200, max_endpointing_ms: 200 })).toMatchObject({ end_of_turn: 200 });
  });

  it('takes off for the semantic end of turn what it took off in our trials', () => {
    const local = { stt: choice('local'), llm: choice('local'), tts: choice('local') };
    const at = (change: Partial<TurnTakingSettings>) =>
      addsOf(expected({ semantic_end_of_turn: 'on', ...change }, [], local)).end_of_turn;
    expect(at({})).toBeCloseTo(345, 6);
    // A judgement takes its time after the end of speech, and it never makes the pause longer than it is set.
    expect(at({ min_endpointing_ms: 280, confident_endpointing_ms: 0 })).toBe(270);
    expect(at({ min_endpointing_ms: 210 })).toBe(210);
  });
});

describe('the expected latency of speech to speech', () => {
  const realtime = (params: Record<string, unknown> = {}) => ({ realtime: choice('openai', '', params) });
  const endOf = (voice: VoiceConfig, held: readonly HeldTurn[] = []) =>
    expected({ turn_detection: 'provider' }, held, voice).parts[0];

  it('follows who finds the end of a turn, and has no early answers', () => {
    const held = turns({}, { firstTokenMs: null, finalTextMs: null });
    const service = expected({ preemptive_generation: 'llm', min_endpointing_ms: 300 }, held, realtime());
    expect(addsOf(service)).toEqual({ end_of_turn: 300, speech_to_speech: 600, runtime: 10 });
    expect(endOf(realtime())).toMatchObject({ ms: 500, source: 'vendor' });
    const detection = { type: 'server_vad', silence_duration_ms: 350 };
    expect(endOf(realtime({ turn_detection: detection }))).toMatchObject({ ms: 350 });
    expect(endOf(realtime({ turn_detection: { type: 'semantic_vad' } }))).toMatchObject({ ms: null });
    expect(endOf({ realtime: choice('gemini', '', { vad_silence_ms: 700 }) })).toMatchObject({ ms: 700 });
    expect(endOf({ realtime: choice('gemini') })).toMatchObject({ ms: null, source: 'unknown' });
  });

  it('knows the provider’s end of a turn from calls that left it to the provider', () => {
    const detected = turns({ turn_detection: 'provider' }, { endOfTurnMs: 620 });
    expect(endOf(realtime(), detected)).toMatchObject({ ms: 620, source: 'own_calls' });
    expect(endOf(realtime(), turns())).toMatchObject({ source: 'vendor' });
  });
});
