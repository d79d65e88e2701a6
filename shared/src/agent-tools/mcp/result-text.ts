/** What a `tools/call` came to, as far as a model that reads text can use it (MCP 2025-11-25, "Tool Result"). */
export interface CalledTool {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly mimeType: string }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string }
  | { readonly type: 'resource'; readonly resource: { readonly uri: string; readonly text?: unknown } };

/** The text of a result without any. */
export const NOTHING_SAID = 'Done.';
/** What the model can read of a result, in bytes; the rest is cut off. */
const MAX_RESULT_BYTES = 16 * 1024;

/** Converts a result to the text that the model gets. Pure. */
export function resultText({ content, structuredContent }: CalledTool): string {
  const texts = content.map(textOf).filter((text) => text !== '');
  if (texts.length > 0) return cut(texts.join('\n'));
  return structuredContent === undefined ? NOTHING_SAID : cut(JSON.stringify(structuredContent));
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return `${block.name}: ${block.uri}`;
    case 'resource':
      return typeof block.resource.text === 'string' ? block.resource.text : block.resource.uri;
    case 'image':
    case 'audio':
      return `[${block.mimeType}]`;
  }
}

function cut(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length <= MAX_RESULT_BYTES ? text : bytes.subarray(0, MAX_RESULT_BYTES).toString('utf8');
}
