import { demoAgent } from '@voice/shared/contracts/demo-agent';
import { describe, expect, it } from 'vitest';
import { type AgentForm, agentForm, changesOf } from './form.js';

const STORED: AgentForm = {
  name: demoAgent.name,
  is_active: true,
  language: demoAgent.language,
  first_message: demoAgent.first_message,
  system_prompt: demoAgent.system_prompt,
  voice_config: demoAgent.voice_config,
  turn_taking: {
    min_endpointing_ms: 400,
    max_endpointing_ms: 3000,
    barge_in_min_speech_ms: 400,
    barge_in_min_words: 2,
    preemptive_generation: 'llm',
  },
  max_duration_seconds: 600,
  silence_timeout_seconds: 20,
  disclosure: { text: 'Hello, this is an AI assistant calling.' },
  recording: { enabled: true, announce: true, announcement: 'This call is recorded.' },
  voicemail: { detect: true, message: '' },
  analysis: { enabled: true, scorecard: [] },
};

describe('the changes of an agent', () => {
  it('are the fields that differ, whole', () => {
    const turn_taking = { ...STORED.turn_taking, barge_in_min_words: 3 };
    expect(changesOf(STORED, { ...STORED, name: 'Bea', turn_taking })).toEqual({ name: 'Bea', turn_taking });
  });

  it('are none where nothing was edited', () =>
    expect(changesOf(STORED, structuredClone(STORED))).toEqual({}));
});

describe('the form of an agent', () => {
  it('says what is wrong with a field, and what to enter', () => {
    const wrong = { ...STORED, name: ' ', turn_taking: { ...STORED.turn_taking, min_endpointing_ms: 9000 } };
    const problems = agentForm
      .safeParse(wrong)
      .error?.issues.map(({ path, message }) => [path.join('.'), message]);
    expect(problems).toEqual([
      ['name', 'Give the agent a name.'],
      ['turn_taking.min_endpointing_ms', 'At most 5000.'],
    ]);
  });
});
