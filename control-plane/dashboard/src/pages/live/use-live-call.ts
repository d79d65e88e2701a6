import { useEffect, useReducer, useState } from 'react';
import { type Conversation, newConversation, withEvent } from '../../../../assets/talk/conversation.js';
import type { Api } from '../../api/client.js';
import { type ApiError, apiErrorOf } from '../../api/errors.js';
import { useApi } from '../../api/mode.js';
import { followCall } from './follow-call.js';

interface Followed {
  readonly conversation: Conversation;
  /** The stream was lost, and is asked for again. */
  readonly lost: boolean;
  /** Why the service does not give the stream; null where it does. */
  readonly refusal: ApiError | null;
}

export interface LiveCall extends Followed {
  /** Asks for the stream once more. */
  readonly again: () => void;
}

const newCall = (): Followed => ({ conversation: newConversation(), lost: false, refusal: null });

/** Follows a call while it goes on: all that was said, then every word as it is said. Comes back without a gap. */
export function useLiveCall(callId: string): LiveCall {
  const { api } = useApi();
  const [call, setCall] = useState(newCall);
  const [attempt, again] = useReducer((before: number) => before + 1, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt begins anew
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    setCall(newCall());
    void followCall({
      ask: (lastId) => ask(api, callId, lastId, signal),
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      signal,
      onOpen: () => setCall((before) => ({ ...before, lost: false, refusal: null })),
      onEvent: (event) =>
        setCall((before) => ({ ...before, conversation: withEvent(before.conversation, event) })),
      onLost: () => setCall((before) => ({ ...before, lost: true, refusal: null })),
      onRefused: (refusal) => setCall((before) => ({ ...before, lost: false, refusal })),
    });
    return () => abort.abort();
  }, [api, callId, attempt]);
  return { ...call, again };
}

async function ask(api: Api, callId: string, lastId: string | null, signal: AbortSignal): Promise<Response> {
  const { response, error } = await api.GET('/api/v1/calls/{call_id}/live', {
    params: { path: { call_id: callId } },
    headers: lastId === null ? {} : { 'last-event-id': lastId },
    parseAs: 'stream',
    signal,
  });
  if (!response.ok) throw apiErrorOf(response.status, error, (name) => response.headers.get(name));
  return response;
}
