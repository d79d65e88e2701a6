import { newId } from '@voice/shared/ids/ids';
import type { AgentResponse, AgentSettings, NudgePresetsResponse } from './schemas.js';

/** Gives an id to each preset that has none. */
export function withPresetIds(settings: AgentSettings): AgentSettings {
  return {
    ...settings,
    nudge_presets: settings.nudge_presets.map((preset) => ({ ...preset, id: preset.id ?? newId() })),
  };
}

/** Returns the presets of an agent as its own resource. */
export function presetsOf({ id, nudge_presets }: AgentResponse): NudgePresetsResponse {
  // Every stored preset has its id.
  return { agent_id: id, presets: nudge_presets.map((preset) => ({ ...preset, id: preset.id ?? newId() })) };
}
