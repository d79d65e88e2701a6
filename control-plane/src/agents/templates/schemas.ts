import { z } from 'zod';
import { wholeListFields } from '../../platform/http/whole-list.js';
import { agentResponse, agentSettings, agentUpdate } from '../schemas.js';
import { shownTool } from '../tool-schemas.js';
import { type AgentTemplate, TEMPLATE_CATEGORIES } from './template.js';

const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'letters, digits and underscores');

export const agentTemplateResponse = z
  .object({
    slug: z.string(),
    name: z.string(),
    category: z.enum(TEMPLATE_CATEGORIES),
    description: z.string(),
    variables: z
      .array(
        z.object({
          name: z.string(),
          description: z.string(),
          example: z.string(),
          given: z
            .enum(['clone', 'call'])
            .describe('`clone`: the same for all calls; `call`: of the person who is called.'),
        }),
      )
      .describe('What stands in the texts as `{{name}}`.'),
    integration_tools: z
      .array(z.object({ purpose: z.string(), integrations: z.array(z.string()) }))
      .describe('What a clone can do besides, when one of these integrations is connected.'),
    outcome_labels: z.array(z.string()).describe('For a campaign of this agent: the first is the success.'),
    agent: agentSettings
      .extend({ tools: z.array(shownTool) })
      .describe('The settings of an agent that is cloned without changes.'),
  })
  .meta({ id: 'AgentTemplateResponse' });

export const agentTemplateListResponse = z
  .object({ templates: z.array(agentTemplateResponse), total: z.number().int(), ...wholeListFields })
  .meta({ id: 'AgentTemplateListResponse' });

export const agentTemplateClone = z
  .strictObject({
    variables: z
      .record(variableName, z.string().max(2000))
      .default({})
      .describe('Written into the texts for good; the others stay for the calls to give.'),
    changes: agentUpdate.default({}).describe('Any field of an agent, as in a change of one.'),
  })
  .meta({ id: 'AgentTemplateCloneRequest' })
  .optional();

export const agentTemplateCloneResponse = agentResponse
  .extend({
    integration_tools: z
      .array(
        z.object({
          purpose: z.string(),
          integrations: z.array(z.string()).describe('That give it, the preferred one first.'),
          integration: z.string().nullable().describe('Which of them the agent uses; null for none.'),
          tools: z.array(z.string()).describe('Names of the tools that the agent got for it.'),
          hint: z.string().nullable().describe('What to do for it where the agent goes without.'),
        }),
      )
      .describe("What of the template's integration tools the agent got; the agent works without them, too."),
  })
  .meta({ id: 'AgentTemplateCloneResponse' });
export type AgentTemplateCloneResponse = z.output<typeof agentTemplateCloneResponse>;

export function presentTemplate(template: AgentTemplate): z.output<typeof agentTemplateResponse> {
  return {
    slug: template.slug,
    name: template.name,
    category: template.category,
    description: template.description,
    variables: [...template.variables],
    integration_tools: (template.capabilities ?? []).map(({ purpose, ways }) => ({
      purpose,
      integrations: ways.map(({ integration }) => integration),
    })),
    outcome_labels: [...template.outcomeLabels],
    agent: agentSettings.parse(template.agent),
  };
}
