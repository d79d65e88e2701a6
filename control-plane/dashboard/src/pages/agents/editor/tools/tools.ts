/** Tools that can be added, as they begin. */
export const NEW_TOOLS = {
  http: {
    type: 'http',
    name: '',
    description: '',
    url: '',
    method: 'POST',
    timeout_ms: 5000,
    parameters: { type: 'object', properties: {} },
    headers: {},
  },
  mcp: { type: 'mcp', name: '', description: '', server_url: '', timeout_ms: 10_000, headers: {} },
  integration: { type: 'integration', name: '', description: '', integration: '', action: '' },
  transfer_to_agent: {
    type: 'transfer_to_agent',
    name: 'transfer_to_agent',
    description: 'Hands the caller to another agent.',
    agents: [{ agent_id: '', name: '', description: '' }],
  },
  transfer_call: {
    type: 'transfer_call',
    name: 'transfer_call',
    description: 'Hands the caller to a human.',
    transfer_type: 'cold',
  },
  send_dtmf: { type: 'send_dtmf', name: 'send_dtmf', description: 'Presses keys of the phone.' },
  end_call: { type: 'end_call', name: 'end_call', description: 'Ends the call after the goodbye.' },
} as const;
export type NewTool = keyof typeof NEW_TOOLS;

/** What a kind of tool is called, and what it is for. */
export const TOOL_KINDS: Readonly<Record<NewTool, { readonly label: string; readonly purpose: string }>> = {
  http: { label: 'HTTP request', purpose: 'Asks a server of yours, or has it do something.' },
  mcp: { label: 'MCP server', purpose: 'Brings all tools that a server offers, or those that you name.' },
  integration: {
    label: 'Integration',
    purpose: 'Acts in an account that you connected, in production alone.',
  },
  transfer_to_agent: {
    label: 'Hand over to an agent',
    purpose: 'Another agent of yours goes on with the live call.',
  },
  transfer_call: { label: 'Transfer to a person', purpose: 'Connects the caller with a phone number.' },
  send_dtmf: { label: 'Press keys', purpose: 'Sends tones, as for the menu of another company.' },
  end_call: { label: 'End the call', purpose: 'Hangs up after the goodbye was heard.' },
};

/** The kind's label; its own name where it is one that is not known here. */
export function labelOf(type: string): string {
  return type in TOOL_KINDS ? TOOL_KINDS[type as NewTool].label : type;
}

/** What a text of a form was read as, or what is wrong with it. */
export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string };

/** Reads a JSON object, as a schema or arguments. `example`: one that is right. */
export function parseObject(text: string, example: string): Parsed<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return {
      ok: false,
      problem: `This is no JSON: ${error instanceof Error ? error.message : String(error)}.`,
    };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, problem: `Write an object, as ${example}.` };
  }
  return { ok: true, value: value as Record<string, unknown> };
}

/** Reads HTTP headers, one a line, as `Authorization: Bearer …`. */
export function parseHeaders(text: string): Parsed<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '') continue;
    const [, name, value] = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+)\s*:\s*([\x20-\x7e]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      return { ok: false, problem: `“${line}” is no header: write name and value, as X-Team: sales.` };
    }
    headers[name] = value;
  }
  return { ok: true, value: headers };
}

/** Writes headers as `parseHeaders` reads them. */
export function headerLines(headers: unknown): string {
  if (typeof headers !== 'object' || headers === null) return '';
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n');
}

/** The names of a list, one a line; nothing where there is none. */
export function nameLines(text: string): string[] | undefined {
  const names = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return names.length === 0 ? undefined : names;
}

const EXAMPLES: Readonly<Record<string, unknown>> = {
  string: 'text',
  number: 1,
  integer: 1,
  boolean: true,
  array: [],
  null: null,
};

/** Arguments to begin a test with: each property of a JSON Schema, by its example, default, choice or type. */
export function exampleArguments(schema: unknown): Record<string, unknown> {
  const { properties } = record(schema);
  return Object.fromEntries(
    Object.entries(record(properties)).map(([name, property]) => [name, exampleOf(record(property))]),
  );
}

function exampleOf(property: Readonly<Record<string, unknown>>): unknown {
  const { type, examples, default: usual, enum: choices } = property;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (usual !== undefined) return usual;
  if (Array.isArray(choices) && choices.length > 0) return choices[0];
  if (type === 'object') return exampleArguments(property);
  return EXAMPLES[String(Array.isArray(type) ? type[0] : type)] ?? 'text';
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
