import { SECTIONS, type Section } from '../search.js';
import type { AgentForm } from './form.js';

export const LABELS: Readonly<Record<Section, string>> = {
  prompt: 'Prompt',
  tools: 'Tools',
  voice: 'Voice',
  turns: 'Turn-taking',
  rules: 'Rules',
  analysis: 'Analysis',
  versions: 'Versions',
};

/** Where each part of the form is edited. */
const SECTION_OF: Readonly<Record<keyof AgentForm, Section>> = {
  name: 'prompt',
  is_active: 'prompt',
  language: 'prompt',
  first_message: 'prompt',
  system_prompt: 'prompt',
  tools: 'tools',
  transfer_destinations: 'tools',
  voice_config: 'voice',
  turn_taking: 'turns',
  max_duration_seconds: 'rules',
  silence_timeout_seconds: 'rules',
  calling_hours: 'rules',
  disclosure: 'rules',
  recording: 'rules',
  voicemail: 'rules',
  nudge_presets: 'rules',
  analysis: 'analysis',
};

/** The parts of the editor in which fields are wrong, in their order, by the form's errors. */
export function sectionsOf(errors: Readonly<Partial<Record<keyof AgentForm, unknown>>>): readonly Section[] {
  const wrong = new Set(
    (Object.keys(SECTION_OF) as (keyof AgentForm)[])
      .filter((field) => errors[field] !== undefined)
      .map((field) => SECTION_OF[field]),
  );
  return SECTIONS.filter((section) => wrong.has(section));
}

/** Says where fields need attention. */
export const attentionWords = (sections: readonly Section[]): string =>
  sections.length === 0
    ? 'Some fields need your attention.'
    : `Some fields need your attention, under ${sections.map((section) => LABELS[section]).join(', ')}.`;
