import type { TranscriptTurn } from '../generated/types.js';
import type { LiveEvent } from '../live-events.js';

/** Returns the line that a person reads of an event; nothing for what only programs read. */
export function describe(event: LiveEvent): string | undefined {
  switch (event.type) {
    case 'status':
      return `· ${event.status}${event.end_reason ? ` (${event.end_reason})` : ''}`;
    case 'turn':
      return describeTurn(event.turn);
    case 'metrics':
      return typeof event.metrics.response_latency_ms === 'number'
        ? `  answered after ${Math.round(event.metrics.response_latency_ms)} ms`
        : undefined;
    case 'tool_call':
      return `  tool ${event.name} …`;
    case 'tool_result':
      return `  tool ${event.execution.name}: ${event.execution.status}`;
    case 'dtmf':
      return `  key ${event.digit}`;
    case 'notice':
    case 'error':
      return `! ${event.code}: ${event.message}`;
    default:
      return undefined;
  }
}

/** Returns a turn as it was heard. */
export function describeTurn(turn: TranscriptTurn): string {
  return `${turn.role}: ${turn.heard_text || turn.text}${turn.interrupted ? ' [interrupted]' : ''}`;
}

/** Returns rows as columns of equal width, the first row as their heads. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
