import { seconds } from './figures.js';

/** A conversation as the page shows it, made from live events. Nothing in here touches the page, so that it is tested without a browser. */

/** Every type of a live event; server-sent events carry it as their name or in their data alone. */
export const LIVE_EVENT_TYPES = [
  'state',
  'transcript',
  'turn',
  'metrics',
  'tool_call',
  'tool_result',
  'dtmf',
  'notice',
  'error',
  'status',
  'ended',
];

/** More lines than this are not kept. */
const MAX_LINES = 500;

export function newConversation() {
  return { activity: null, lines: [], latencies: [], pendingMetrics: null, ended: null };
}

const LIVE_STATUSES = ['QUEUED', 'RINGING', 'IN_PROGRESS'];

/** Whether nothing more comes after the event. */
export function endsCall(event) {
  return event.type === 'ended' || (event.type === 'status' && !LIVE_STATUSES.includes(event.status));
}

/** The conversation after one more live event; the one given is left as it was. */
export function withEvent(conversation, event) {
  switch (event.type) {
    case 'state':
      return { ...conversation, activity: event.state };
    case 'transcript':
      return withLines(conversation, withTranscript(conversation.lines, event));
    case 'turn':
      return withTurn(conversation, event.turn);
    case 'metrics':
      return withMetrics(conversation, event.metrics);
    case 'tool_call':
      return withLines(conversation, [
        ...conversation.lines,
        note(`tool ${event.tool_call_id}`, event.at_ms, `Uses ${event.name} …`, false),
      ]);
    case 'tool_result':
      return withLines(conversation, withToolResult(conversation.lines, event.execution));
    case 'dtmf':
      return withLines(conversation, [
        ...conversation.lines,
        note(`key ${event.at_ms}`, event.at_ms, `Key ${event.digit} pressed`, true),
      ]);
    case 'notice':
    case 'error': {
      const last = conversation.lines.at(-1);
      const key = `${event.type} ${event.seq ?? event.code} ${event.message}`;
      if (conversation.lines.some((line) => line.key === key)) return conversation;
      return withLines(conversation, [
        ...conversation.lines,
        note(key, last?.atMs ?? 0, event.message, true),
      ]);
    }
    case 'ended':
      return {
        ...conversation,
        activity: null,
        lines: conversation.lines.map((line) => (line.final ? line : { ...line, final: true })),
        ended: { reason: event.end_reason, durationMs: event.duration_ms },
      };
    case 'status':
      // A call that never had a media stream has no other end.
      if (!endsCall(event) || conversation.ended) return conversation;
      return withEvent(conversation, {
        type: 'ended',
        end_reason: event.end_reason ?? 'unknown',
        duration_ms: conversation.lines.at(-1)?.endedAtMs ?? 0,
      });
    default:
      // Whatever else a later version reports does not concern this page.
      return conversation;
  }
}

const note = (key, atMs, text, final) => ({
  key,
  role: 'note',
  index: null,
  atMs,
  text,
  unheard: '',
  final,
  metrics: null,
});

const withLines = (conversation, lines) => ({ ...conversation, lines: lines.slice(-MAX_LINES) });

function withTranscript(lines, event) {
  const isOpen = (line) => line.role === event.role && !line.final;
  const at = lines.findLastIndex(isOpen);
  const line = {
    key: at >= 0 ? lines[at].key : `${event.role} at ${event.at_ms}`,
    role: event.role,
    index: null,
    atMs: at >= 0 ? lines[at].atMs : event.at_ms,
    text: event.text,
    unheard: '',
    final: event.final,
    metrics: at >= 0 ? lines[at].metrics : null,
  };
  if (at >= 0) return lines.with(at, line);
  // An interim of a turn that the record has already closed is late: it would show the same words twice.
  const isLate = lines.some(
    ({ role, index, endedAtMs }) => role === event.role && index !== null && endedAtMs >= event.at_ms,
  );
  return isLate || event.text === '' ? lines : [...lines, line];
}

/** The record's entry takes the place of what was shown of the turn so far. */
function withTurn(conversation, turn) {
  if (turn.role === 'tool') return conversation;
  const known = conversation.lines.find(({ index }) => index === turn.index);
  const isShownSoFar = (line) =>
    line.role === turn.role && line.index === null && line.atMs <= turn.ended_at_ms;
  const before = conversation.lines.filter((line) => isShownSoFar(line));
  const others = conversation.lines.filter((line) => line !== known && !isShownSoFar(line));
  const cut = turn.interrupted && turn.text.startsWith(turn.heard_text);
  const line = {
    key: known?.key ?? before[0]?.key ?? `turn ${turn.index}`,
    role: turn.role,
    index: turn.index,
    atMs: turn.started_at_ms,
    endedAtMs: turn.ended_at_ms,
    text: cut ? turn.heard_text : turn.text,
    unheard: cut ? turn.text.slice(turn.heard_text.length) : '',
    final: true,
    metrics: known?.metrics ?? before.find(({ metrics }) => metrics)?.metrics ?? null,
  };
  const after = others.findIndex(({ atMs }) => atMs > line.atMs);
  const lines = after < 0 ? [...others, line] : others.toSpliced(after, 0, line);
  const next = withLines(conversation, lines);
  if (turn.role !== 'agent' || line.metrics || !next.pendingMetrics) return next;
  return withMetrics({ ...next, pendingMetrics: null }, next.pendingMetrics);
}

/** Figures belong to the agent's last turn; when that has some already, to the next one. */
function withMetrics(conversation, metrics) {
  const at = conversation.lines.findLastIndex(({ role }) => role === 'agent');
  const line = conversation.lines[at];
  if (line?.metrics?.turn === metrics.turn) return conversation;
  if (!line || line.metrics) return { ...conversation, pendingMetrics: metrics };
  const latency = metrics.response_latency_ms;
  return {
    ...conversation,
    latencies: latency === null ? conversation.latencies : [...conversation.latencies, latency],
    lines: conversation.lines.with(at, { ...line, metrics }),
  };
}

function withToolResult(lines, execution) {
  const text =
    execution.status === 'succeeded'
      ? `Used ${execution.name} · ${seconds(execution.ended_at_ms - execution.started_at_ms)}`
      : `${execution.name} ${execution.status.replace('_', ' ')}`;
  const key = `tool ${execution.tool_call_id}`;
  const done = note(key, execution.started_at_ms, text, true);
  const at = lines.findIndex((line) => line.key === key);
  return at >= 0 ? lines.with(at, done) : [...lines, done];
}
