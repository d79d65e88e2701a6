import { describe, expect, it } from 'vitest';
import { attentionWords, sectionsOf } from './sections.js';

describe('what is wrong in the form', () => {
  it('is found by the part of the editor that it is in', () => {
    const errors = { voicemail: {}, tools: [], transfer_destinations: [], recording: {} };
    expect(sectionsOf(errors)).toEqual(['tools', 'rules']);
    expect(attentionWords(sectionsOf(errors))).toBe('Some fields need your attention, under Tools, Rules.');
  });
});
