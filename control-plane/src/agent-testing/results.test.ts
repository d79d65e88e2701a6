import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { expect, it } from 'vitest';
import { TestResults, type TestResultsOptions } from './results.js';
import type { TestSessionRow } from './session-model.js';

type Charged = Parameters<TestResultsOptions['charge']>[1];

it('charges the analysis of a text session at the model that answered, which the agent need not name', async () => {
  const clock = new ScriptedClock();
  const openai = { provider: 'openai', model: '', params: {} };
  const row = {
    _id: newId(),
    tenant_id: newTenantId(),
    kind: 'text',
    turns: 1,
    analysis: null,
    ended_at: null,
    created_at: new Date(clock.now()),
    expires_at: new Date(clock.now() + 1),
    transcript: '[]',
    analysis_settings: JSON.stringify({ enabled: true, scorecard: [], extraction_schema: null }),
  } as unknown as TestSessionRow;
  const charged: Charged[] = [];
  const results = new TestResults({
    sessions: {
      findOne: () => ({ lean: async () => row }),
      updateOne: async () => ({ matchedCount: 1 }),
    } as never,
    agentOf: () =>
      ({
        name: 'Ann',
        system_prompt: '',
        voice_config: { stt: openai, llm: openai, tts: openai },
        fallback_voice_config: {},
      }) as never,
    calls: {} as never,
    model: {
      answer: async () =>
        ({ value: {}, model: 'gpt-4.1-mini', inputTokens: 400, outputTokens: 100 }) as never,
    },
    charge: async (_, used) => void charged.push(used),
    clock,
    log: silentLog,
  });
  await results.result({ tenant: row.tenant_id as never, sandbox: false }, row._id);
  await results.settled();
  expect(charged).toMatchObject([{ tokens: { model: 'gpt-4.1-mini', inputTokens: 400, outputTokens: 100 } }]);
});
