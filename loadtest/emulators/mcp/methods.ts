import { z } from 'zod';
import { RpcRefusal } from './json-rpc.js';
import { argumentFault, type EmulatedTool, type ToolResult } from './tools.js';

/** A page of `tools/list`: small, so that clients must follow the cursor. */
const PAGE = 2;

const listParams = z.looseObject({ cursor: z.string().optional() });
const callParams = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).default({}),
});

export interface CalledTool {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** `tools/list` and `tools/call`, which all revisions have alike. */
export class ToolMethods {
  /** Every call that reached a tool, in order. */
  readonly calls: CalledTool[] = [];
  tools: readonly EmulatedTool[];

  constructor(tools: readonly EmulatedTool[]) {
    this.tools = tools;
  }

  list(given: unknown): { tools: object[]; nextCursor?: string } {
    const { cursor } = parsed(listParams, given);
    const from = cursor === undefined ? 0 : Number(/^page-(\d+)$/.exec(cursor)?.[1] ?? Number.NaN);
    if (!(from < Math.max(1, this.tools.length)))
      throw new RpcRefusal(200, 'invalidParams', 'Invalid cursor');
    const tools = this.tools.slice(from, from + PAGE).map(({ run: _, ...shown }) => shown);
    const next = from + PAGE;
    return { tools, ...(next < this.tools.length ? { nextCursor: `page-${next}` } : {}) };
  }

  async call(given: unknown, signal: AbortSignal): Promise<ToolResult> {
    const call = parsed(callParams, given);
    const tool = this.tools.find(({ name }) => name === call.name);
    if (!tool) throw new RpcRefusal(200, 'invalidParams', `Unknown tool: ${call.name}`);
    const fault = argumentFault(tool, call.arguments);
    if (fault !== undefined) return { content: [{ type: 'text', text: fault }], isError: true };
    this.calls.push({ name: call.name, arguments: call.arguments });
    return tool.run(call.arguments, signal);
  }
}

export function parsed<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  const result = schema.safeParse(given ?? {});
  if (!result.success) throw new RpcRefusal(200, 'invalidParams', z.prettifyError(result.error));
  return result.data;
}
