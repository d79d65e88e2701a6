import { endCall, transferred } from './closing.js';
import type { OutsideEvent, ToolCall } from './events.js';
import { giveUp } from './failure.js';
import { type Draft, findTurn, type ToolRun, type Turn } from './state.js';
import { appendHistory } from './transcript.js';

/** Rounds of tool calls in a row before the agent gives up: a model that only calls tools says nothing. */
const MAX_TOOL_ROUNDS = 8;

/** Handles the model's tool call. A speculative turn may only look, not touch, until it is committed. */
export function onToolCall(draft: Draft, turnId: number, call: ToolCall): void {
  const { state } = draft;
  const turn = findTurn(state, turnId);
  if (!turn || turn.complete || turn.phase === 'clearing') return;
  const known = state.tools.some((run) => run.turn === turnId && run.call.id === call.id);
  if (known) return;
  state.tools = [...state.tools, { turn: turnId, call, status: 'held', result: '' }];
  if (turn.speculative && touches(call)) return;
  start(draft, turn, call);
}

/** Runs what a turn held back until it was committed. */
export function releaseHeldTools(draft: Draft, turn: Turn): void {
  for (const run of draft.state.tools) {
    if (run.turn === turn.id && run.status === 'held') start(draft, turn, run.call);
  }
}

/** Runs what waited for a turn to be heard to its end: the transfer that it announced, its keys. */
export function releaseSpokenTools(draft: Draft, turnId: number): void {
  for (const run of draft.state.tools) {
    if (run.turn === turnId && run.status === 'held') begin(draft, run.call, turnId);
  }
}

/** Cancels what waited for the end of a turn that the caller cut short; the model gets that as the result. */
export function cancelHeldTools(draft: Draft, turnId: number): void {
  for (const run of draft.state.tools) {
    if (run.turn !== turnId || run.status !== 'held') continue;
    update(draft, run, { status: 'finished', result: failure('The caller interrupted; this was not done.') });
  }
}

export function onToolFinished(draft: Draft, event: Extract<OutsideEvent, { type: 'tool_finished' }>): void {
  const run = draft.state.tools.find((other) => other.call.id === event.callId && other.status === 'running');
  if (!run) return;
  update(draft, run, { status: 'finished', result: event.result });
  if (run.call.kind === 'transfer_call' && event.ok) transferred(draft);
}

/**
 * Moves calls and results to the history together (models refuse a call without its result) when a turn's speech is
 * over and its tools have all answered, and makes an answer to them pending.
 */
export function settleTools(draft: Draft): void {
  const { state } = draft;
  for (const id of new Set(state.tools.map((run) => run.turn))) {
    const runs = state.tools.filter((run) => run.turn === id);
    if (findTurn(state, id) || runs.some((run) => run.status !== 'finished')) continue;
    state.tools = state.tools.filter((run) => run.turn !== id);
    remember(draft, runs);
    if (state.closing) continue;
    state.toolRounds += 1;
    if (state.toolRounds > MAX_TOOL_ROUNDS) giveUp(draft, 'tool_rounds_exceeded');
    else state.pendingAnswer ??= { basis: '', attempt: 1, owedSince: null, endOfTurn: null };
  }
}

function remember(draft: Draft, runs: readonly ToolRun[]): void {
  const toolCalls = runs.map((run) => run.call);
  const results = runs.map((run) => ({ role: 'tool', toolCallId: run.call.id, text: run.result }) as const);
  appendHistory(draft, { role: 'assistant', text: '', toolCalls }, ...results);
}

function start(draft: Draft, turn: Turn, call: ToolCall): void {
  // A transfer takes the caller away, and keys sound over speech: what the turn says is to be heard first.
  if (call.kind === 'transfer_call' || call.kind === 'send_dtmf') {
    if (turn.mute) begin(draft, call, turn.id);
    return;
  }
  begin(draft, call, turn.id);
}

function begin(draft: Draft, call: ToolCall, turnId: number): void {
  const run = draft.state.tools.find((other) => other.turn === turnId && other.call.id === call.id);
  if (!run) return;
  if (call.kind === 'unknown') {
    update(draft, run, { status: 'finished', result: failure(`There is no tool named ${call.name}.`) });
    return;
  }
  update(draft, run, { status: 'running' });
  draft.effects.push({ type: 'run_tool', turn: turnId, call });
  if (call.kind === 'end_call') endCall(draft);
}

/**
 * Returns whether the tool changes something. Some kinds always act on the call itself, whatever their declaration
 * says.
 */
function touches(call: ToolCall): boolean {
  switch (call.kind) {
    case 'end_call':
    case 'transfer_call':
    case 'send_dtmf':
      return true;
    case 'http':
    case 'integration':
    case 'mcp':
      return call.sideEffects;
    case 'unknown':
      return false;
  }
}

function failure(message: string): string {
  return JSON.stringify({ error: message });
}

function update({ state }: Draft, run: ToolRun, change: Partial<ToolRun>): void {
  state.tools = state.tools.map((other) =>
    other.turn === run.turn && other.call.id === run.call.id ? { ...other, ...change } : other,
  );
}
