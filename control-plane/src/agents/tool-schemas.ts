import { agentTool } from '@voice/shared/contracts/agent';
import { z } from 'zod';
import { SUPPORTED_JSON_SCHEMA } from '../platform/json-schema/schema-input.js';

const sharedHttpTool = agentTool.options[3];
const integrationTool = agentTool.options[4];
const sharedMcpTool = agentTool.options[5];
const sharedHandoffTool = agentTool.options[6];

const SENSITIVE =
  'The recording pauses while the tool runs, and its arguments and its result are kept out of the record: for ' +
  'card numbers and the like.';

const WHEN_CALLER_SPEAKS =
  'What becomes of the tool when the caller speaks while it runs. They are answered at once either way: it goes on and ' +
  'its result enters the conversation when it comes (`continue`, the default), or it is given up (`cancel`).';

/** A tool's secret headers as a tenant configures them: null keeps what is stored under the name. */
const givenHeaders = <Name extends z.core.$ZodRecordKey, Value extends z.ZodType>(
  headers: z.ZodOptional<z.ZodRecord<Name, Value>>,
) => {
  const { keyType, valueType } = headers.unwrap();
  return z
    .record(keyType, valueType.nullable())
    .optional()
    .describe(
      'Sent too, such as `Authorization`; stored encrypted and never shown. Kept when left out, as long as the ' +
        "server's origin stays the same; else they are the whole of them: null keeps the value that is stored under " +
        'the name, and `{}` removes all.',
    );
};
const secret_header_names = z
  .array(z.string())
  .optional()
  .describe('The names of the secret headers that are stored. Only shown: what is sent of it is not read.')
  .meta({ examples: [['Authorization']] });

/** An HTTP tool as a tenant configures it. */
export const configuredHttpTool = sharedHttpTool.extend({
  parameters: sharedHttpTool.shape.parameters.describe(
    `JSON Schema of the arguments, of the type object. ${SUPPORTED_JSON_SCHEMA}`,
  ),
  sensitive: sharedHttpTool.shape.sensitive.describe(SENSITIVE),
  when_caller_speaks: sharedHttpTool.shape.when_caller_speaks.describe(WHEN_CALLER_SPEAKS),
  headers: sharedHttpTool.shape.headers.describe('Sent with every request; shown again.'),
  secret_headers: givenHeaders(sharedHttpTool.shape.secret_headers),
  secret_header_names,
  secret: sharedHttpTool.shape.secret.describe(
    'Signs each request as webhooks are signed (`X-Service-Signature`); stored encrypted and never shown.',
  ),
});

const mcpTool = sharedMcpTool.extend({
  sensitive: sharedMcpTool.shape.sensitive.describe(SENSITIVE),
  when_caller_speaks: sharedMcpTool.shape.when_caller_speaks.describe(WHEN_CALLER_SPEAKS),
  name: sharedMcpTool.shape.name.describe("Begins the names of the server's tools: `<name>_<tool>`."),
  description: sharedMcpTool.shape.description.describe('Of those tools that the server does not describe.'),
  server_url: sharedMcpTool.shape.server_url.describe(
    "The server's Streamable HTTP endpoint. It is first asked when a call begins; a server that is down leaves " +
      "the agent without its tools, which the call's timeline shows.",
  ),
  headers: sharedMcpTool.shape.headers.describe('Sent with every request; shown again.'),
  secret_headers: givenHeaders(sharedMcpTool.shape.secret_headers),
  secret_header_names,
  allowed_tools: sharedMcpTool.shape.allowed_tools.describe(
    "The server's own names of the tools that the agent gets; left out, all (32 at most).",
  ),
  timeout_ms: sharedMcpTool.shape.timeout_ms.describe('Of one call of a tool.'),
});

const handoffTool = sharedHandoffTool.extend({
  agents: sharedHandoffTool.shape.agents.describe(
    'The agents of the tenant that the call may be handed to. At most five handoffs a call, and back to an agent that ' +
      'had the caller only for a reason that is new in the call. What was begun with the first agent stays: disclosure, ' +
      'recording, voicemail, the longest duration.',
  ),
});

/** Tools as tenants configure them: what an integration's action takes is the service's to say. */
export const configuredTool = z
  .discriminatedUnion('type', [
    ...agentTool.options.slice(0, 3),
    configuredHttpTool,
    integrationTool.omit({ parameters: true, side_effects: true }).extend({
      sensitive: integrationTool.shape.sensitive.describe(SENSITIVE),
      when_caller_speaks: integrationTool.shape.when_caller_speaks.describe(WHEN_CALLER_SPEAKS),
    }),
    mcpTool,
    handoffTool,
  ] as unknown as typeof agentTool.options)
  .meta({ title: 'AgentTool' });

const WITH_SECRETS: readonly unknown[] = [configuredHttpTool, mcpTool];

/** Tools as they are shown: a secret goes in and never out. */
export const shownTool = z
  .discriminatedUnion('type', [
    ...configuredTool.options.filter((option) => !WITH_SECRETS.includes(option)),
    configuredHttpTool.omit({ secret: true, secret_headers: true }),
    mcpTool.omit({ secret_headers: true }),
  ] as unknown as typeof agentTool.options)
  .meta({ title: 'AgentTool' });
