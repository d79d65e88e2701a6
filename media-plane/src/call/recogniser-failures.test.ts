import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DeepgramEmulator, startDeepgramEmulator } from '../../../loadtest/emulators/deepgram/server.js';
import { framesOf, syntheticPhrase } from '../../../loadtest/emulators/deepgram/synthetic-phrase.js';
import { testCallPlan } from '../testing/call-plan.js';
import { ScriptedLanguageModel, scriptedVoice } from '../testing/scripted-providers.js';
import { EmulatedStage } from './testing/emulated-stage.js';

const PHRASE = syntheticPhrase('When are you open?');
const ANSWER = 'From nine to five.';

/** Calls whose recogniser fails, with another one to fall back on and without one. */
describe('a call whose recogniser', () => {
  let deepgram: DeepgramEmulator;
  let stage: EmulatedStage;

  beforeEach(async () => {
    deepgram = await startDeepgramEmulator({
      phrasebook: [PHRASE],
      apiKeys: ['key'],
      delays: { speechStartedDelayMs: 0, interimDelayMs: 0, finalDelayMs: 0 },
    });
  });

  afterEach(async () => {
    await stage.close();
    await deepgram.close();
  });

  const choice = (model: string) => ({ provider: 'deepgram', model, params: {} });

  function begin(first: string, fallback?: string): void {
    const local = { provider: 'local', model: '', params: {} };
    const fallbacks: AgentSnapshot['fallback_voice_config'] = fallback ? { stt: choice(fallback) } : {};
    const plan = testCallPlan(
      { credentials: { deepgram: { api_key: 'key', base_url: deepgram.url } } },
      {
        first_message: '',
        voice_config: { stt: choice(first), llm: local, tts: local },
        fallback_voice_config: fallbacks,
      },
    );
    const languageModel = new ScriptedLanguageModel([ANSWER, ANSWER, ANSWER]);
    stage = new EmulatedStage({
      plan,
      scripted: () => ({ languageModel, textToSpeech: scriptedVoice() }),
    });
  }

  /** Lets time pass until the agent has answered. */
  async function untilAnswered(withinMs = 10_000): Promise<void> {
    for (let waited = 0; waited < withinMs && !stage.turns().includes(`agent: ${ANSWER}`); waited += 20) {
      await stage.pass(20);
    }
    expect(stage.turns()).toEqual([`caller: ${PHRASE.text}`, `agent: ${ANSWER}`]);
  }

  const endsOfTurn = () =>
    stage.decided.flatMap((event) => (event.type === 'end_of_turn' ? [event.source] : []));

  describe('was replaced by another', () => {
    it.each([
      ['nova-3', 'flux', 'flux'],
      ['flux', 'nova-3', 'stt'],
    ])('%s by %s: the end of a turn means what the latter means by it', async (first, fallback, source) => {
      Object.assign(deepgram.faults, { refuseNext: 1, refuseStatus: 401 });
      begin(first, fallback);
      await stage.settled(() => deepgram.counters.open === 1);
      await stage.callerPlays(framesOf(PHRASE.audio));
      await untilAnswered();
      expect(new Set(endsOfTurn())).toEqual(new Set([source]));
    });
  });
});
