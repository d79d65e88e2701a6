export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly isError?: boolean;
}

/** A tool of the emulated server: what `tools/list` shows of it, and what it does. */
export interface EmulatedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, { readonly type: string }>>;
    readonly required?: readonly string[];
  };
  readonly annotations?: { readonly readOnlyHint?: boolean };
  /** `signal` aborts when the client cancels or leaves. */
  run(args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolResult> | ToolResult;
}

const text = (value: string): ToolResult => ({ content: [{ type: 'text', text: value }] });

const order = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] } as const;
const nothing = { type: 'object', properties: {} } as const;

/** A shop: one tool that reads, one that writes, and what goes wrong with tools. */
export const SHOP: readonly EmulatedTool[] = [
  {
    name: 'look_up_order',
    description: 'Tells where an order is.',
    inputSchema: order,
    annotations: { readOnlyHint: true },
    run: ({ order: id }) =>
      id === 'A7'
        ? text('Order A7 was shipped yesterday.')
        : { ...text(`There is no order ${String(id)}.`), isError: true },
  },
  {
    name: 'orders.cancel',
    description: 'Cancels an order.',
    inputSchema: order,
    run: ({ order: id }) => text(`Order ${String(id)} was cancelled.`),
  },
  {
    name: 'catalogue',
    description: 'All there is, in full.',
    inputSchema: { type: 'object', properties: { bytes: { type: 'number' } }, required: ['bytes'] },
    annotations: { readOnlyHint: true },
    run: ({ bytes }) => text('x'.repeat(Number(bytes))),
  },
  {
    name: 'ask_a_colleague',
    description: 'Waits for somebody who is not there.',
    inputSchema: nothing,
    run: (_, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
      ),
  },
];

/** Finds what is wrong with the arguments; undefined when they fit the schema. */
export function argumentFault(
  tool: EmulatedTool,
  args: Readonly<Record<string, unknown>>,
): string | undefined {
  const { properties, required = [] } = tool.inputSchema;
  const missing = required.find((name) => !(name in args));
  if (missing !== undefined) return `${missing} is required`;
  for (const [name, value] of Object.entries(args)) {
    const property = properties[name];
    if (!property) return `${name} is unknown`;
    if (typeof value !== property.type) return `${name} must be a ${property.type}`;
  }
  return undefined;
}
