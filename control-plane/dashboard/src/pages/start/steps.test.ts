import { describe, expect, it } from 'vitest';
import { nextStep, type Progress, stepsOf } from './steps.js';

const FRESH: Progress = {
  readyKinds: new Set(['stt', 'llm', 'tts']),
  agents: 0,
  hasTalked: false,
  numbers: 0,
  isLive: false,
};
const next = (changes: Partial<Progress>) => nextStep(stepsOf({ ...FRESH, ...changes }));

describe('the checklist', () => {
  it('begins with an agent where local models are ready', () => expect(next({})).toBe('agent'));

  it('begins with providers where one of the three kinds is missing', () =>
    expect(next({ readyKinds: new Set(['stt', 'tts', 'realtime']) })).toBe('providers'));

  it('fills itself, step by step', () => {
    expect(next({ agents: 1 })).toBe('talk');
    expect(next({ agents: 1, hasTalked: true })).toBe('number');
    expect(next({ agents: 1, hasTalked: true, numbers: 1 })).toBe('live');
    expect(next({ agents: 1, hasTalked: true, numbers: 1, isLive: true })).toBeNull();
  });
});
