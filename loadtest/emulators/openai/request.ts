import { z } from 'zod';

const toolCall = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string().min(1), arguments: z.string() }),
});

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'developer']), content: z.string(), name: z.string().optional() }),
  z.strictObject({ role: z.literal('user'), content: z.string(), name: z.string().optional() }),
  z
    .strictObject({
      role: z.literal('assistant'),
      content: z.string().nullish(),
      tool_calls: z.array(toolCall).min(1).optional(),
    })
    .refine((said) => typeof said.content === 'string' || said.tool_calls !== undefined, {
      message: "expected a string for 'content', got null",
    }),
  z.strictObject({ role: z.literal('tool'), content: z.string(), tool_call_id: z.string().min(1) }),
]);

const functionTool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    description: z.string().max(1024).optional(),
    parameters: z.looseObject({ type: z.literal('object') }).optional(),
    strict: z.boolean().nullish(),
  }),
});

const responseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
      description: z.string().optional(),
      schema: z.looseObject({ type: z.literal('object') }).optional(),
      strict: z.boolean().nullish(),
    }),
  }),
]);

/** Body of `POST /v1/chat/completions`; a field that the API does not have is refused. */
const chatRequest = z
  .strictObject({
    model: z.string().min(1),
    messages: z.array(message).min(1),
    tools: z.array(functionTool).min(1).max(128).optional(),
    tool_choice: z.enum(['none', 'auto', 'required']).optional(),
    parallel_tool_calls: z.boolean().optional(),
    response_format: responseFormat.optional(),
    stream: z.boolean().default(false),
    stream_options: z.strictObject({ include_usage: z.boolean().optional() }).nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    max_tokens: z.number().int().positive().nullish(),
    max_completion_tokens: z.number().int().positive().nullish(),
    frequency_penalty: z.number().min(-2).max(2).nullish(),
    presence_penalty: z.number().min(-2).max(2).nullish(),
    seed: z.number().int().nullish(),
    reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).nullish(),
    service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority']).nullish(),
    user: z.string().optional(),
  })
  .refine((body) => body.stream || !body.stream_options, {
    path: ['stream_options'],
    message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  })
  .refine((body) => body.tools !== undefined || body.parallel_tool_calls === undefined, {
    path: ['parallel_tool_calls'],
    message: "'parallel_tool_calls' is only allowed when 'tools' are specified.",
  })
  .refine((body) => body.tools !== undefined || body.tool_choice === undefined, {
    path: ['tool_choice'],
    message: "'tool_choice' is only allowed when 'tools' are specified.",
  });
export type ChatRequest = z.infer<typeof chatRequest>;
export type ChatMessage = ChatRequest['messages'][number];

export interface BadRequest {
  readonly message: string;
  readonly param: string | null;
}

/** Reads a body as strictly as OpenAI does, the order of tool calls and their results included. */
export function parseChatRequest(text: string): ChatRequest | BadRequest {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { message: 'We could not parse the JSON body of your request.', param: null };
  }
  const parsed = chatRequest.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    const param = issue.path.join('.');
    return { message: `Invalid value for '${param}': ${issue.message}`, param };
  }
  return toolOrderProblem(parsed.data.messages) ?? parsed.data;
}

function toolOrderProblem(messages: readonly ChatMessage[]): BadRequest | undefined {
  let open = new Set<string>();
  for (const [index, said] of messages.entries()) {
    if (said.role === 'tool') {
      if (open.delete(said.tool_call_id)) continue;
      const message =
        "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
      return { message, param: `messages.[${index}].role` };
    }
    if (open.size > 0) return unanswered(open, index);
    open = new Set(said.role === 'assistant' ? said.tool_calls?.map((call) => call.id) : []);
  }
  return open.size > 0 ? unanswered(open, messages.length) : undefined;
}

function unanswered(open: ReadonlySet<string>, index: number): BadRequest {
  return {
    message:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each " +
      `'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
    param: `messages.[${index}].role`,
  };
}
