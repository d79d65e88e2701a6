/** Tools that can be added, as they begin. Others (`integration`, `mcp`, handoffs) come by the API and stay as they are. */
export const NEW_TOOLS = {
  http: {
    type: 'http',
    name: '',
    description: '',
    url: '',
    method: 'POST',
    timeout_ms: 5000,
    parameters: { type: 'object', properties: {} },
  },
  end_call: { type: 'end_call', name: 'end_call', description: 'Ends the call after the goodbye.' },
  send_dtmf: { type: 'send_dtmf', name: 'send_dtmf', description: 'Presses keys of the phone.' },
  transfer_call: {
    type: 'transfer_call',
    name: 'transfer_call',
    description: 'Hands the caller to a human.',
    transfer_type: 'cold',
  },
} as const;
export type NewTool = keyof typeof NEW_TOOLS;

/** Reads a JSON Schema of arguments. */
export function parseParameters(
  text: string,
):
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | { readonly ok: false; readonly problem: string } {
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
    return { ok: false, problem: 'A schema is an object, as {"type": "object", "properties": {}}.' };
  }
  return { ok: true, value: value as Record<string, unknown> };
}
