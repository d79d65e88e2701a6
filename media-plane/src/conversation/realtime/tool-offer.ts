import type { LlmTool } from '@voice/shared/language-model/conversation';

/** Returns whether both are the same tools, by name and order: a session need not be given them again. */
export function isSameOffer(a: readonly LlmTool[], b: readonly LlmTool[]): boolean {
  return a === b || (a.length === b.length && a.every((tool, index) => tool.name === b[index]!.name));
}
