import type { ServerSentEvent } from '../api/server-sent-events.js';

interface ChatLine {
  readonly role: 'caller' | 'agent' | 'note';
  readonly text: string;
}

/** A text conversation with an agent, made from the events of its answers. */
export interface Chat {
  readonly sessionId: string | null;
  readonly lines: readonly ChatLine[];
  /** An answer is being written: its deltas go to the last line. */
  readonly open: boolean;
  readonly ended: boolean;
  readonly error: string | null;
}

export const NEW_CHAT: Chat = { sessionId: null, lines: [], open: false, ended: false, error: null };

/** The conversation after the caller said something. */
export const withMessage = (chat: Chat, text: string): Chat => ({
  ...chat,
  error: null,
  open: false,
  lines: [...chat.lines, { role: 'caller', text }],
});

/** The conversation after a message that was not answered; one that was refused was never said. */
export function withFailure(chat: Chat, problem: string, wasRefused: boolean): Chat {
  const lines = wasRefused && chat.lines.at(-1)?.role === 'caller' ? chat.lines.slice(0, -1) : chat.lines;
  return { ...chat, lines, open: false, error: problem };
}

/** The conversation after one more event of an answer. */
export function withChatEvent(chat: Chat, { event, data }: Pick<ServerSentEvent, 'event' | 'data'>): Chat {
  const body = JSON.parse(data) as Readonly<Record<string, unknown>>;
  const text = String(body.text ?? '');
  switch (event) {
    case 'session':
      return { ...chat, sessionId: String(body.session_id) };
    case 'delta':
      return withDelta(chat, text);
    case 'message':
      // The whole of what deltas have said in part, or the opening of a session, which came before the question.
      return chat.open
        ? withDelta({ ...chat, lines: chat.lines.slice(0, -1), open: false }, text, false)
        : opening(chat, text);
    case 'tool_call':
      return note(chat, `Uses ${String(body.name)} …`);
    case 'tool_result':
      return note(chat, `${String(body.name)}: ${String(body.status)}`);
    case 'notice':
      return note(chat, String(body.message));
    case 'error':
      return { ...chat, open: false, error: String(body.detail) };
    case 'done':
      return { ...chat, open: false, ended: body.ended === true };
    default:
      // Whatever else a later version reports does not concern this page.
      return chat;
  }
}

function withDelta(chat: Chat, text: string, open = true): Chat {
  const last = chat.lines.at(-1);
  if (chat.open && last?.role === 'agent') {
    return { ...chat, lines: [...chat.lines.slice(0, -1), { role: 'agent', text: last.text + text }] };
  }
  return { ...chat, open, lines: [...chat.lines, { role: 'agent', text }] };
}

function opening(chat: Chat, text: string): Chat {
  const last = chat.lines.at(-1);
  const isFirst = chat.lines.length === 1 && last?.role === 'caller';
  const line: ChatLine = { role: 'agent', text };
  return { ...chat, lines: isFirst ? [line, last] : [...chat.lines, line] };
}

const note = (chat: Chat, text: string): Chat => ({
  ...chat,
  open: false,
  lines: [...chat.lines, { role: 'note', text }],
});
