import type { LiveEvent } from '@voice/shared/contracts/live-events';
import { useEffect, useState } from 'react';
import {
  type Conversation,
  endsCall,
  newConversation,
  withEvent,
} from '../../../../assets/talk/conversation.js';
import type { Api } from '../../api/client.js';
import { apiErrorOf } from '../../api/errors.js';
import { readEvents } from '../../api/server-sent-events.js';
import { useApi } from '../../app/mode.js';

/** Between two tries to come back to a stream, in ms. */
const AGAIN_MS = 1500;

export interface LiveCall {
  readonly conversation: Conversation;
  /** The stream was lost, and is asked for again. */
  readonly lost: boolean;
}

/** Follows a call while it goes on: all that was said, then every word as it is said. Comes back without a gap. */
export function useLiveCall(callId: string): LiveCall {
  const { api } = useApi();
  const [call, setCall] = useState<LiveCall>({ conversation: newConversation(), lost: false });
  useEffect(() => {
    const abort = new AbortController();
    setCall({ conversation: newConversation(), lost: false });
    void follow(api, callId, abort.signal, {
      onEvent: (event) =>
        setCall(({ conversation }) => ({ conversation: withEvent(conversation, event), lost: false })),
      onLost: () => setCall((before) => ({ ...before, lost: true })),
    });
    return () => abort.abort();
  }, [api, callId]);
  return call;
}

async function follow(
  api: Api,
  callId: string,
  signal: AbortSignal,
  on: { readonly onEvent: (event: LiveEvent) => void; readonly onLost: () => void },
): Promise<void> {
  let lastId: string | null = null;
  while (!signal.aborted) {
    try {
      const response: Response = await ask(api, callId, lastId, signal);
      if (!response.ok) throw apiErrorOf(response.status, undefined, (name) => response.headers.get(name));
      let over = false;
      for await (const { id, data } of readEvents(response)) {
        lastId = id ?? lastId;
        const event = JSON.parse(data) as LiveEvent;
        over ||= endsCall(event);
        on.onEvent(event);
      }
      if (over) return;
    } catch {
      if (signal.aborted) return;
    }
    on.onLost();
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

async function ask(api: Api, callId: string, lastId: string | null, signal: AbortSignal): Promise<Response> {
  const { response } = await api.GET('/api/v1/calls/{call_id}/live', {
    params: { path: { call_id: callId } },
    headers: lastId === null ? {} : { 'last-event-id': lastId },
    parseAs: 'stream',
    signal,
  });
  return response;
}
