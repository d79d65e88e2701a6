import { endCall, transferred } from './closing.js';
import type { OutsideEvent, ToolCall } from './events.js';
import { giveUp } from './failure.js';
import { lateResultOf } from './late-result.js';
import { type Draft, findTurn, type ToolRun, type Turn } from './state.js';
import { appendHistory } from './transcript.js';

/** Rounds of tool calls in a row before the agent gives up: a model that only calls tools says nothing. */
const MAX_TOOL_ROUNDS = 8;
/** What the model reads in place of a result that is not there when the caller has to be answered. */
const STILL_RUNNING =
  'This is still being done; its result will follow by itself. Do not call the tool again for it. Answer the caller now.';

/** Handles the model's tool call. A speculative turn may only look, not touch, until it is committed. */
export function onToolCall(draft: Draft, turnId: number, call: ToolCall): void {
  const { state } = draft;
  const turn = findTurn(state, turnId);
  if (!turn || turn.complete || turn.phase === 'clearing') return;
  const known = state.tools.some((run) => run.turn === turnId && run.call.id === call.id);
  if (known) return;
  state.tools = [...state.tools, { turn: turnId, call, status: 'held', result: '', deferred: false }];
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
  if (run.deferred) rememberLateResult(draft, run, event);
  else update(draft, run, { status: 'finished', result: event.result });
  if (run.call.kind === 'transfer_call' && event.ok) transferred(draft);
}

/**
 * Lets the caller be answered who spoke while tools run: they go on or are given up, as each is defined. The model is
 * answered so in place of a result; the results of those that go on follow when they come.
 */
export function deferRunningTools(draft: Draft): void {
  const { state } = draft;
  for (const id of new Set(state.tools.map((run) => run.turn))) {
    const runs = state.tools.filter((run) => run.turn === id && !run.deferred);
    if (findTurn(state, id) || !runs.some((run) => run.status === 'running')) continue;
    const answered = runs.map((run) => answeredMeanwhile(draft, run));
    remember(draft, answered);
    const goOn = answered.filter((run) => run.deferred);
    state.tools = [...state.tools.filter((run) => run.turn !== id || run.deferred), ...goOn];
  }
}

/** Returns the run with what the model gets of it now. */
function answeredMeanwhile({ effects }: Draft, run: ToolRun): ToolRun {
  if (run.status !== 'running') return run;
  if (run.call.endsWithCallerSpeech !== true) return { ...run, result: STILL_RUNNING, deferred: true };
  effects.push({ type: 'cancel_tool', turn: run.turn, call: run.call });
  return { ...run, status: 'finished', result: failure('The caller spoke, so this was given up.') };
}

/** Moves the result of a tool that the model believes to be running to the history, and makes an answer to it pending. */
function rememberLateResult(
  draft: Draft,
  run: ToolRun,
  { ok, result }: Extract<OutsideEvent, { type: 'tool_finished' }>,
): void {
  const { state } = draft;
  state.tools = state.tools.filter((other) => other !== run);
  const text = `${lateResultOf(run.call.name)}${ok ? 'finished' : 'failed'}. Its result: ${result}`;
  appendHistory(draft, { role: 'note', text });
  answerToTools(draft);
}

/**
 * Moves calls and results to the history together (models refuse a call without its result) when a turn's speech is
 * over and its tools have all answered, and makes an answer to them pending.
 */
export function settleTools(draft: Draft): void {
  const { state } = draft;
  for (const id of new Set(state.tools.map((run) => run.turn))) {
    const runs = state.tools.filter((run) => run.turn === id && !run.deferred);
    if (runs.length === 0 || findTurn(state, id) || runs.some((run) => run.status !== 'finished')) continue;
    state.tools = state.tools.filter((run) => run.turn !== id || run.deferred);
    remember(draft, runs);
    answerToTools(draft);
  }
}

function answerToTools(draft: Draft): void {
  const { state } = draft;
  if (state.closing) return;
  state.toolRounds += 1;
  if (state.toolRounds > MAX_TOOL_ROUNDS) giveUp(draft, 'tool_rounds_exceeded');
  else state.pendingAnswer ??= { basis: '', attempt: 1, owedSince: null, endOfTurn: null };
}

function remember(draft: Draft, runs: readonly ToolRun[]): void {
  const toolCalls = runs.map((run) => run.call);
  const results = runs.map(({ call: { id, serverId }, result }) => {
    const named = serverId === undefined ? {} : { serverId };
    return { role: 'tool', toolCallId: id, ...named, text: result } as const;
  });
  appendHistory(draft, { role: 'assistant', text: '', toolCalls }, ...results);
}

function start(draft: Draft, turn: Turn, call: ToolCall): void {
  // A transfer takes the caller or the agent away, and keys sound over speech: what the turn says is to be heard first.
  if (call.kind === 'transfer_call' || call.kind === 'transfer_to_agent' || call.kind === 'send_dtmf') {
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
  if (call.kind === 'end_call') endCall(draft, turnId);
}

/**
 * Returns whether the tool changes something. Some kinds always act on the call itself, whatever their declaration
 * says.
 */
function touches(call: ToolCall): boolean {
  switch (call.kind) {
    case 'end_call':
    case 'transfer_call':
    case 'transfer_to_agent':
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
