import { demoAgent } from '@voice/shared/contracts/demo-agent';
import type { AgentForm } from './form.js';

/** The demo agent as the form begins with it, with something in every part. */
export const storedForm: AgentForm = {
  name: demoAgent.name,
  is_active: true,
  language: demoAgent.language,
  first_message: demoAgent.first_message,
  system_prompt: demoAgent.system_prompt,
  voice_config: demoAgent.voice_config,
  tools: demoAgent.tools,
  transfer_destinations: [{ name: 'Reception', phone_number: '+12125550199' }],
  calling_hours: {
    timezone: null,
    monday: { start: '08:00', end: '21:00' },
    tuesday: null,
    wednesday: null,
    thursday: null,
    friday: null,
    saturday: null,
    sunday: null,
  },
  turn_taking: {
    min_endpointing_ms: 400,
    max_endpointing_ms: 3000,
    barge_in_min_speech_ms: 400,
    barge_in_min_words: 2,
    preemptive_generation: 'llm',
    turn_detection: 'service',
    semantic_end_of_turn: 'off',
  },
  max_duration_seconds: 600,
  silence_timeout_seconds: 20,
  disclosure: { text: 'Hello, this is an AI assistant calling.' },
  recording: { enabled: true, announce: true, announcement: 'This call is recorded.' },
  voicemail: { detect: true, action: 'hangup', message: '' },
  nudge_presets: [{ id: 'n1', label: 'Slow down', text: 'Speak more slowly.' }],
  analysis: { enabled: true, scorecard: [] },
};
