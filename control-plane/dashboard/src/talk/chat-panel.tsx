import { Send } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { ApiError, apiErrorOf } from '../api/errors.js';
import { useApi } from '../api/mode.js';
import { reasonOf } from '../api/optimistic.js';
import { readEvents } from '../api/server-sent-events.js';
import { Button } from '../ui/button.js';
import { Input } from '../ui/field.js';
import { NEW_CHAT, withChatEvent, withFailure, withMessage } from './chat.js';
import { ConversationLines } from './conversation-lines.js';

const NAMES = { caller: 'You', agent: 'Agent' };

/** Writes with an agent: its prompt, model and tools are the real ones, without voice. */
export function ChatPanel({ agentId }: { readonly agentId: string }): ReactNode {
  const { api } = useApi();
  const [chat, setChat] = useState(NEW_CHAT);
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const leaving = useRef<AbortController | null>(null);
  useEffect(() => () => leaving.current?.abort(), []);
  // Lines are only added: the place of one is its name.
  const lines = useMemo(() => chat.lines.map((line, at) => ({ ...line, id: String(at) })), [chat.lines]);

  const send = async (event: FormEvent) => {
    event.preventDefault();
    const message = text.trim();
    if (message === '' || busy) return;
    const abort = new AbortController();
    leaving.current = abort;
    setText('');
    setBusy(true);
    setChat((before) => withMessage(before, message));
    try {
      const { response, error } = await api.POST('/api/v1/agents/{agent_id}/test/text', {
        params: { path: { agent_id: agentId } },
        body: { message, variables: {}, ...(chat.sessionId !== null && { session_id: chat.sessionId }) },
        parseAs: 'stream',
        signal: abort.signal,
      });
      if (!response.ok) throw apiErrorOf(response.status, error, (name) => response.headers.get(name));
      for await (const answer of readEvents(response)) setChat((before) => withChatEvent(before, answer));
    } catch (error) {
      if (abort.signal.aborted) return;
      const wasRefused = error instanceof ApiError;
      const problem = wasRefused ? reasonOf(error) : 'The answer broke off. Send it again.';
      setChat((before) => withFailure(before, problem, wasRefused));
      // Back where it is sent from, unless the next one is being written.
      setText((next) => next || message);
    } finally {
      setBusy(false);
    }
  };

  return (
    <div className="flex h-full min-h-96 flex-col">
      <ConversationLines
        label="Conversation in text"
        lines={lines}
        idOf={({ id }) => id}
        names={NAMES}
        empty="Write what a caller would say. The prompt, the model and the tools are the real ones."
      >
        {({ text }) => <p className="max-w-prose leading-relaxed break-words whitespace-pre-line">{text}</p>}
      </ConversationLines>
      {chat.error !== null && (
        <p role="alert" className="border-t border-line bg-bad-soft px-4 py-2 text-bad">
          {chat.error}
        </p>
      )}
      {chat.ended ? (
        <div className="flex items-center justify-between gap-2 border-t border-line p-3">
          <span className="text-muted">The agent ended the conversation.</span>
          <Button onClick={() => setChat(NEW_CHAT)}>Begin again</Button>
        </div>
      ) : (
        <form onSubmit={(event) => void send(event)} className="flex gap-2 border-t border-line p-3">
          <Input
            value={text}
            aria-label="What the caller says"
            placeholder="Hello, …"
            maxLength={8000}
            autoComplete="off"
            onChange={({ target }) => setText(target.value)}
          />
          <Button
            needs="testAgentByText"
            type="submit"
            variant="primary"
            size="icon"
            aria-label="Send"
            busy={busy}
          >
            <Send aria-hidden className="size-4" />
          </Button>
        </form>
      )}
    </div>
  );
}
