import { z } from 'zod';
import { actorResponse } from '../../platform/http/actor.js';
import { agentResponse } from '../schemas.js';

const agentVersionSummary = z
  .object({
    version: z.int().min(1).describe('Counts the saves of the agent, from 1.'),
    is_current: z.boolean().describe('Whether new calls begin with it.'),
    name: z.string(),
    changed: z
      .array(z.string())
      .describe('The fields that this save changed, as paths.')
      .meta({ examples: [['first_message', 'turn_taking.min_endpointing_ms']] }),
    author: actorResponse.nullable().describe('Who saved it; null in versions from before it was kept.'),
    created_at: z.iso.datetime().describe('When it was saved.'),
  })
  .meta({ id: 'AgentVersionSummary' });

export const agentVersionListResponse = z
  .object({
    versions: z.array(agentVersionSummary).describe('The newest first.'),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'AgentVersionListResponse' });
export type AgentVersionListResponse = z.infer<typeof agentVersionListResponse>;

export const agentVersionResponse = agentVersionSummary
  .extend({
    settings: agentResponse
      .omit({
        id: true,
        version: true,
        experimental: true,
        warnings: true,
        created_at: true,
        updated_at: true,
      })
      .meta({ id: 'AgentVersionSettings' })
      .describe('The agent as it was saved, without secrets.'),
  })
  .meta({ id: 'AgentVersionResponse' });
export type AgentVersionResponse = z.infer<typeof agentVersionResponse>;

export const agentVersionDiffResponse = z
  .object({
    from: z.int().min(1).describe('The version that `before` is of.'),
    to: z.int().min(1).describe('The version that `after` is of.'),
    changes: z
      .array(
        z
          .object({
            path: z
              .string()
              .describe('The field, with those that it is in. A list is one field.')
              .meta({ examples: ['turn_taking.min_endpointing_ms'] }),
            before: z
              .unknown()
              .describe('Absent where that version has it not.')
              .meta({ examples: [400] }),
            after: z
              .unknown()
              .describe('Absent where that version has it not.')
              .meta({ examples: [300] }),
          })
          .meta({ id: 'AgentVersionChange' }),
      )
      .describe('The fields that differ.'),
  })
  .meta({ id: 'AgentVersionDiffResponse' });
export type AgentVersionDiffResponse = z.infer<typeof agentVersionDiffResponse>;
