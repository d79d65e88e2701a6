import { z } from 'zod';

const cacheControl = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() });
const cacheable = { cache_control: cacheControl.nullish() };
const textBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string().regex(/\S/, 'text content blocks must contain non-whitespace text'),
  ...cacheable,
});
const id = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/);

const userBlock = z.discriminatedUnion('type', [
  textBlock,
  z.strictObject({
    type: z.literal('tool_result'),
    tool_use_id: id,
    content: z.union([z.string(), z.array(textBlock)]).optional(),
    is_error: z.boolean().optional(),
    ...cacheable,
  }),
]);
const assistantBlock = z.discriminatedUnion('type', [
  textBlock,
  z.strictObject({
    type: z.literal('tool_use'),
    id,
    name: toolName,
    input: z.record(z.string(), z.unknown()),
    ...cacheable,
  }),
]);
const message = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string().min(1), z.array(userBlock).min(1)]),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.union([z.string().min(1), z.array(assistantBlock).min(1)]),
  }),
]);

/** Body of `POST /v1/messages` (platform.claude.com/docs/en/api/messages); a field that is not there is refused. */
const messagesRequest = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.number().int().min(1),
  messages: z.array(message).min(1),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  stream: z.boolean().default(false),
  tools: z
    .array(
      z.strictObject({
        name: toolName,
        description: z.string().optional(),
        input_schema: z.looseObject({ type: z.literal('object') }),
        eager_input_streaming: z.boolean().optional(),
        ...cacheable,
      }),
    )
    .optional(),
  tool_choice: z.looseObject({ type: z.enum(['auto', 'any', 'tool', 'none']) }).optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.number().int().min(0).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  thinking: z.strictObject({ type: z.enum(['disabled', 'adaptive', 'between_tools']) }).optional(),
  output_config: z.strictObject({ effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']) }).optional(),
});
export type MessagesRequest = z.infer<typeof messagesRequest>;
export type ConversationTurn = MessagesRequest['messages'][number];
export type Block = z.infer<typeof userBlock> | z.infer<typeof assistantBlock>;

/** Breakpoints that one request may have (platform.claude.com, "Prompt caching"). */
const MAX_BREAKPOINTS = 4;

export type Problem = { readonly problem: string };

/** Reads a body as strictly as the vendor does, the order of tool calls and their results included. */
export function parseMessagesRequest(text: string): MessagesRequest | Problem {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { problem: 'The request body is not valid JSON' };
  }
  const parsed = messagesRequest.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    return { problem: `${issue.path.join('.')}: ${issue.message}` };
  }
  return problemOf(parsed.data) ?? parsed.data;
}

export function blocksOf({ content }: ConversationTurn): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function problemOf(request: MessagesRequest): Problem | undefined {
  const { messages } = request;
  if (messages[0]!.role !== 'user') return { problem: 'messages: first message must use the "user" role' };
  if (messages.at(-1)!.role !== 'user' && isModern(request.model)) {
    return { problem: 'This model does not support assistant message prefill.' };
  }
  const samples = request.temperature ?? request.top_p ?? request.top_k;
  if (samples !== undefined && isModern(request.model)) {
    return { problem: 'temperature, top_p and top_k are not supported for this model.' };
  }
  if ((JSON.stringify(request).match(/"cache_control":\{/g)?.length ?? 0) > MAX_BREAKPOINTS) {
    return { problem: `A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided.` };
  }
  return thinkingProblem(request) ?? toolProblem(messages);
}

/** Whether the model is of the generations without sampling parameters and prefill (Haiku and Sonnet 5, Opus 4.7 on). */
function isModern(model: string): boolean {
  return /^claude-(haiku-5|sonnet-5|opus-(4-[78]|5)|fable|mythos)/.test(model);
}

/** What each model takes (platform.claude.com, migration guides of Opus 5.5, Sonnet 5.5 and Haiku 5.5). */
function thinkingProblem({ model, thinking, output_config: config }: MessagesRequest): Problem | undefined {
  const type = thinking?.type;
  if (type === undefined || type === 'adaptive') return undefined;
  const isRefused = /^claude-(opus-5-5|fable|mythos)/.test(model)
    ? true
    : /^claude-sonnet-5-5/.test(model)
      ? type === 'disabled'
      : type === 'between_tools';
  if (isRefused) return { problem: `"thinking.type.${type}" is not supported for this model.` };
  const isHard = config?.effort === 'xhigh' || config?.effort === 'max';
  return isHard ? { problem: `"thinking.type.${type}" is not supported at this effort.` } : undefined;
}

/** Each `tool_use` must be answered in the very next message, before any text, and by nothing else. */
function toolProblem(messages: readonly ConversationTurn[]): Problem | undefined {
  let open: readonly string[] = [];
  for (const [index, turn] of messages.entries()) {
    const blocks = blocksOf(turn);
    const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
    const stray = results.find((used) => !open.includes(used));
    if (stray !== undefined) {
      return { problem: `messages.${index}: unexpected tool_use_id found in tool_result blocks: ${stray}` };
    }
    const missing = open.filter((used) => !results.includes(used));
    if (missing.length > 0) {
      const ids = missing.join(', ');
      return { problem: `messages.${index}: tool_use ids were found without tool_result blocks: ${ids}` };
    }
    const lastResult = blocks.findLastIndex(({ type }) => type === 'tool_result');
    if (lastResult >= 0 && blocks.findIndex(({ type }) => type !== 'tool_result') < lastResult) {
      const isMixed = blocks.slice(0, lastResult).some(({ type }) => type !== 'tool_result');
      if (isMixed) return { problem: `messages.${index}: tool_result blocks must come first` };
    }
    open = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  }
  return open.length > 0 ? { problem: 'the last message has tool_use blocks without results' } : undefined;
}
