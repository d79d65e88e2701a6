import { isSpokenLanguage } from '@voice/shared/catalogue/languages';
import {
  type AgentTool,
  MCP_SERVERS_PER_AGENT,
  pipelineType,
  providerChoice,
  recordingSettings,
  type TurnTakingSettings,
  transferDestination,
  turnTakingSettings,
  voicemailSettings,
} from '@voice/shared/contracts/agent';
import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { totalFields } from '../platform/http/totals.js';
import { callingHours } from './calling-hours.js';
import { extractionSchemaForm } from './extraction-schema.js';
import { patchSchema } from './patch.js';
import { strictSchema } from './strict-schema.js';
import { configuredTool, shownTool } from './tool-schemas.js';
import { voiceConfigInput } from './voice-config.js';

const differ = (values: readonly string[]) => new Set(values).size === values.length;

const tools = z
  .array(configuredTool)
  .max(32)
  .refine((list) => differ(list.map(({ name }) => name)), 'tool names must differ')
  .refine(
    (list) => list.filter(({ type }) => type === 'mcp').length <= MCP_SERVERS_PER_AGENT,
    `may name ${MCP_SERVERS_PER_AGENT} MCP servers at most`,
  )
  .default([{ type: 'end_call', name: 'end_call', description: '' }])
  .describe('Secrets are never shown again; a tool that is sent again without them keeps them.');

const { turn_detection: turnDetection } = turnTakingSettings.shape;
const turnTaking = turnTakingSettings
  .extend({
    turn_detection: turnDetection.describe(
      "Who decides that the caller's turn is over when the agent is realtime: `service`, by the settings beside, or " +
        '`provider`, by its own turn detection. Cascaded agents: always the service.',
    ),
  })
  .meta({ title: 'TurnTakingSettings' });

const disclosure = z
  .object({
    text: z
      .string()
      .max(1000)
      .default('Hello, this is an AI assistant calling.')
      .describe('Discloses that an AI speaks. Without one, the compliance gate denies outbound calls.'),
    position: z.literal('before_first_message').default('before_first_message'),
  })
  .meta({ title: 'Disclosure' });

const recording = recordingSettings
  .extend({
    announcement: z
      .string()
      .trim()
      .min(1)
      .max(300)
      .default('This call is recorded.')
      .describe("By what words, in the agent's language, the recording is announced."),
  })
  .describe(
    '`announce` says after the disclosure that the call is recorded. A call that may only be recorded with ' +
      'the consent of everybody is not recorded by an agent that does not announce it.',
  )
  .meta({ title: 'RecordingSettings' });

const analysis = z
  .object({
    enabled: z.boolean().default(true),
    scorecard: z
      .array(
        z
          .object({
            name: z.string().min(1).max(100),
            description: z.string().max(1000).default(''),
            weight: z.number().min(0).max(100).default(1),
          })
          .meta({ title: 'ScorecardCriterion' }),
      )
      .max(20)
      .default([])
      .describe('What a call is scored by.'),
    extraction_schema: extractionSchemaForm.default(null),
  })
  .meta({ title: 'AnalysisSettings' });

const nudgePreset = z
  .object({
    id: uuid.optional().describe('Given by the service where it is left out.'),
    label: z.string().min(1).max(100),
    text: z.string().min(1).max(4000),
  })
  .meta({ title: 'NudgePreset' });

const nudgePresetList = z
  .array(nudgePreset)
  .max(50)
  .refine((presets) => differ(presets.flatMap(({ id }) => id ?? [])), 'ids must differ');

const metadata = z
  .record(z.string().min(1).max(64), z.unknown())
  .refine((value) => JSON.stringify(value).length <= 16_384, 'must not be over 16 KiB as JSON')
  .default({})
  .describe('Your own data. Replaced as a whole.');

/** What an agent is configured by, but for its voices (`voice-config.ts`). */
export const agentSettings = z.object({
  name: z.string().trim().min(1).max(255),
  pipeline_type: pipelineType.default('cascaded'),
  system_prompt: z
    .string()
    .min(1)
    .max(50_000)
    .describe("`{{name}}` is replaced by the call's variable `name`."),
  first_message: z
    .string()
    .max(4000)
    .default('')
    .describe('Said when the call is answered, after the disclosure; empty lets the caller begin.'),
  language: z
    .string()
    .max(35)
    .refine(isSpokenLanguage, 'must be the BCP 47 tag of a language that providers speak, such as en-US')
    .default('en-US')
    .describe('The language that the agent speaks: a BCP 47 tag that the providers know.'),
  is_active: z.boolean().default(true).describe('Kill switch: an inactive agent takes and makes no calls.'),
  fallback_voice_config: z
    .object({
      stt: providerChoice.optional(),
      llm: providerChoice.optional(),
      tts: providerChoice.optional(),
    })
    .meta({ title: 'FallbackVoiceConfig' })
    .default({})
    .describe(
      'Used when a provider fails in a call. A realtime agent goes on as this cascade when its provider fails: ' +
        'what is missing of `stt`, `llm` and `tts` is then what this installation uses by default. Without any of ' +
        'them, the call of a realtime agent ends with `provider_failed`.',
    ),
  tools,
  transfer_destinations: z
    .array(transferDestination)
    .max(50)
    .refine((list) => differ(list.map(({ name }) => name)), 'names must differ')
    .default([]),
  disclosure: disclosure.prefault({}),
  calling_hours: callingHours.prefault({}),
  turn_taking: turnTaking.prefault({}),
  max_duration_seconds: z.number().int().min(10).max(14_400).default(1800),
  silence_timeout_seconds: z.number().min(2).max(300).default(10),
  voicemail: voicemailSettings.prefault({}),
  recording: recording.prefault({}),
  analysis: analysis.prefault({}),
  nudge_presets: nudgePresetList.default([]),
  metadata,
});
export type AgentSettings = z.output<typeof agentSettings>;

export type IntegrationTool = Extract<AgentTool, { type: 'integration' }>;
/** What is wrong with the tool; undefined when there is such an action. */
export type UnknownAction = (tool: IntegrationTool) => string | undefined;

/** Checks what must hold between the settings, also after a change of one of them. */
export const coherentSettings = (unknownAction: UnknownAction) =>
  agentSettings.superRefine(({ turn_taking: turns, tools: list }, context) => {
    for (const [i, tool] of list.entries()) {
      const message = tool.type === 'integration' ? unknownAction(tool) : undefined;
      if (message) context.addIssue({ code: 'custom', path: ['tools', i, 'action'], message });
    }
    requireCoherentTurns(turns, context);
  });

function requireCoherentTurns(turns: TurnTakingSettings, context: z.RefinementCtx): void {
  const refuse = (field: keyof TurnTakingSettings, message: string) =>
    context.addIssue({ code: 'custom', path: ['turn_taking', field], message });
  if (turns.vad_off >= turns.vad_on) refuse('vad_off', 'must be below vad_on');
  if (turns.max_endpointing_ms < turns.min_endpointing_ms) {
    refuse('max_endpointing_ms', 'must not be below min_endpointing_ms');
  }
}

/** Of the settings only when the agent answers and what interrupts it. */
export const turnTakingPart = z.object({ turn_taking: turnTaking });
/** Checks what must hold between these, of an agent that is not saved. */
export const coherentTurnTaking = turnTakingPart.superRefine(({ turn_taking: turns }, context) =>
  requireCoherentTurns(turns, context),
);
/** A change of them. */
export const turnTakingChange = patchSchema(turnTaking);

const voiceConfigField = voiceConfigInput.describe(
  '`stt`, `llm` and `tts` of a cascaded agent, `realtime` of a realtime one. Left out, what this installation has. ' +
    'A change of `pipeline_type` keeps the choices of the other pipeline aside: turned back, the agent has them again.',
);

export const agentCreate = strictSchema(
  agentSettings.extend({ voice_config: voiceConfigField.prefault({}) }),
).meta({ id: 'AgentCreate', description: 'Everything but name and system_prompt has a default.' });
export type AgentCreate = z.output<typeof agentCreate>;

export const agentUpdate = strictSchema(
  patchSchema(agentSettings.extend({ voice_config: voiceConfigField })),
).meta({
  id: 'AgentUpdate',
  description: 'Only what is given changes; fields within settings objects too. Lists and maps are replaced.',
});
export type AgentUpdate = z.output<typeof agentUpdate>;

export const agentResponse = agentSettings
  .extend({
    id: uuid,
    version: z.int().describe('Counts its saves. `GET /agents/{agent_id}/versions` lists them.'),
    tools: z.array(shownTool),
    voice_config: voiceConfigInput.describe(
      '`stt`, `llm` and `tts` of a cascaded agent, `realtime` of a realtime one.',
    ),
    experimental: z.boolean().describe('Whether a provider is outside the canonical matrix.'),
    warnings: z
      .array(z.string())
      .describe('What is to be known of its providers: outside the matrix, or without a key here.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'AgentResponse' });
export type AgentResponse = z.output<typeof agentResponse>;

const storedNudgePreset = nudgePreset.extend({ id: uuid }).meta({ title: 'StoredNudgePreset' });

export const updateNudgePresetsRequest = z
  .strictObject({
    presets: strictSchema(nudgePresetList).describe('The whole list; entries without an id get one.'),
  })
  .meta({ id: 'UpdateNudgePresetsRequest' });

export const nudgePresetsResponse = z
  .object({ agent_id: uuid, presets: z.array(storedNudgePreset) })
  .meta({ id: 'NudgePresetsResponse' });
export type NudgePresetsResponse = z.output<typeof nudgePresetsResponse>;

export const agentListResponse = z
  .object({
    agents: z.array(agentResponse),
    ...totalFields,
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'AgentListResponse' });
export type AgentListResponse = z.output<typeof agentListResponse>;
