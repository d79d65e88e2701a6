import { expect } from 'vitest';
import type { CallDetail, TranscriptTurn } from '../../system/tenant.js';
import { AGENT_SAYS, CALLER_SAYS, FREE_SLOT } from './dental-conversation.js';
import type { Pipeline } from './emulated-vendors.js';
import { decodeRecording, loudnessOf } from './recording.js';

export interface Expected {
  /** Whether the line can hand the call to somebody else. */
  readonly transfers: boolean;
  readonly pipeline: Pipeline;
}

/** Letters alone: recognisers write what they hear in their own way. */
const letters = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');

/** Holds a finished call against the conversation; returns in a few words what was seen. */
export async function checkConversation(
  call: CallDetail,
  mp3: Uint8Array,
  { transfers, pipeline }: Expected,
): Promise<string> {
  const { transcript } = call;
  const end_reason = transfers ? 'transferred' : 'agent_hangup';
  expect(call).toMatchObject({ status: 'COMPLETED', end_reason });
  expectOrder(transcript, transfers);
  const cut = expectBargeIn(call);
  expectTools(call, transfers);
  const recording = await decodeRecording(mp3);
  expect(Math.abs(recording.durationMs - call.duration_ms!)).toBeLessThan(3000);
  for (const turn of transcript) {
    if (turn.role !== 'caller' && turn.role !== 'agent') continue;
    expect(loudnessOf(recording, turn), `${turn.role}: ${turn.text}`).toBeGreaterThan(0.005);
  }
  // Silent while the caller says the rest of the interruption.
  const by = connected(transcript).find(
    ({ role, text }) => role === 'caller' && sounds(text, CALLER_SAYS.interruption),
  )!;
  const silence = recording.loudness('agent', cut.ended_at_ms + 300, by.ended_at_ms);
  expect(silence, 'the agent while it is interrupted').toBeLessThan(0.01);
  const latencies = expectMetrics(call);
  expectUsage(call, pipeline);
  const heard = cut.heard_text.split(' ').length;
  return [
    `heard ${heard} of ${cut.text.split(' ').length} words of the cut answer`,
    transfers ? 'transferred' : 'transfer refused',
    `${Math.round(recording.durationMs / 1000)} s recorded`,
    `p50 ${Math.round(call.metrics.p50.response_latency_ms!)} ms of ${latencies} turns`,
  ].join('; ');
}

const sounds = (text: string, wanted: string) => letters(text).includes(letters(wanted));

/** Returns what one side says in a row, in one: a comma may divide a sentence. */
function connected(transcript: readonly TranscriptTurn[]): TranscriptTurn[] {
  const turns: TranscriptTurn[] = [];
  for (const turn of transcript) {
    const last = turns.at(-1);
    if (last?.role !== 'caller' || turn.role !== 'caller') turns.push(turn);
    else
      turns[turns.length - 1] = { ...last, text: `${last.text} ${turn.text}`, ended_at_ms: turn.ended_at_ms };
  }
  return turns;
}

/** Enough of a sentence to know it by, in characters. */
const KNOWN_BY = 30;
const CUT_KNOWN_BY = 10;

/** Returns whether a turn is of these words: a cut one has what the model had said by then, which may be little. */
function isOf({ text, interrupted }: TranscriptTurn, words: string): boolean {
  if (sounds(text, words.slice(0, KNOWN_BY))) return true;
  return interrupted && text.length >= CUT_KNOWN_BY && letters(words).startsWith(letters(text));
}

/** Both sides' words, in the order in which they were said. */
function expectOrder(transcript: readonly TranscriptTurn[], transfers: boolean): void {
  const wanted: [TranscriptTurn['role'], string][] = [
    ['agent', AGENT_SAYS.first],
    ['caller', CALLER_SAYS.question],
    ['agent', AGENT_SAYS.long],
    ['caller', CALLER_SAYS.interruption],
    ['agent', AGENT_SAYS.price],
    ['caller', CALLER_SAYS.forTool],
    ['agent', FREE_SLOT],
    ['caller', CALLER_SAYS.forHuman],
    ['agent', AGENT_SAYS.connecting],
  ];
  if (!transfers) {
    wanted.push(['agent', AGENT_SAYS.alone], ['caller', CALLER_SAYS.goodbye], ['agent', AGENT_SAYS.goodbye]);
  }
  let at = 0;
  for (const turn of connected(transcript)) {
    const next = wanted[at];
    if (next && turn.role === next[0] && isOf(turn, next[1])) at += 1;
  }
  expect(wanted.slice(at), 'was not said, or not in this order').toEqual([]);
}

function expectBargeIn({ transcript, metrics }: CallDetail): TranscriptTurn {
  const cut = transcript.find((turn) => turn.role === 'agent' && isOf(turn, AGENT_SAYS.long))!;
  expect(cut.interrupted).toBe(true);
  expect(cut.heard_text.length).toBeGreaterThan(0);
  expect(cut.heard_text.length).toBeLessThan(AGENT_SAYS.long.length);
  expect(sounds(AGENT_SAYS.long, cut.heard_text)).toBe(true);
  expect(metrics.turns.some(({ barge_in_latency_ms }) => barge_in_latency_ms !== null)).toBe(true);
  return cut;
}

function expectTools({ tool_executions }: CallDetail, transfers: boolean): void {
  const find = tool_executions.find(({ name }) => name === 'find_slots');
  expect(find).toMatchObject({ status: 'succeeded' });
  expect(JSON.stringify(find!.arguments)).toContain('Tuesday');
  expect(JSON.stringify(find!.result)).toContain(FREE_SLOT);
  const transfer = tool_executions.find(({ name }) => name === 'transfer_call');
  expect(transfer).toMatchObject({ status: transfers ? 'succeeded' : 'failed' });
  expect(String(transfer!.result)).toMatch(
    transfers ? /is transferred/ : /cannot be transferred: no carrier/,
  );
}

/** Returns how many turns have a latency. */
function expectMetrics({ metrics }: CallDetail): number {
  const latencies = metrics.turns.filter(({ response_latency_ms }) => response_latency_ms !== null);
  expect(latencies.length).toBeGreaterThanOrEqual(4);
  expect(metrics.p50.response_latency_ms).toBeGreaterThan(0);
  return latencies.length;
}

function expectUsage({ usage }: CallDetail, pipeline: Pipeline): void {
  if (pipeline === 'cascaded') {
    expect(usage!.stt.audio_ms).toBeGreaterThan(5000);
    expect(usage!.llm.output_tokens).toBeGreaterThan(0);
    expect(usage!.tts.characters).toBeGreaterThan(100);
    return;
  }
  expect(usage!.realtime).toMatchObject({ provider: pipeline });
  expect(usage!.realtime!.input_audio_tokens).toBeGreaterThan(0);
  expect(usage!.realtime!.output_audio_tokens).toBeGreaterThan(0);
}
