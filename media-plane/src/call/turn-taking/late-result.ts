/** Returns how the note begins by which the model learns the late result of a tool. */
export function lateResultOf(toolName: string): string {
  return `The tool ${toolName} has `;
}
