import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Tabs } from 'radix-ui';
import type { ReactNode } from 'react';
import type { Agent } from '../../../api/types.js';
import { ChatPanel } from '../../../talk/chat-panel.js';
import { TalkPanel } from '../../../talk/talk-panel.js';
import { Card } from '../../../ui/page.js';
import type { Panel } from '../search.js';

const routeApi = getRouteApi('/agents/$agentId');

interface TestPanelProps {
  readonly agent: Agent;
  /** Talks at once. */
  readonly talkNow: boolean;
  /** The form has changes that are not saved: the test speaks to what is saved. */
  readonly stale: boolean;
}

const TAB =
  'h-9 border-b-2 border-transparent px-3 font-medium text-muted data-[state=active]:border-accent data-[state=active]:text-text';

/** Tries the agent out beside its editor: by voice, or in text. */
export function TestPanel({ agent, talkNow, stale }: TestPanelProps): ReactNode {
  const { panel = 'talk' } = routeApi.useSearch();
  const navigate = useNavigate({ from: '/agents/$agentId' });
  return (
    <Card className="flex flex-col overflow-hidden xl:sticky xl:top-4 xl:h-[calc(100vh-11rem)]">
      <Tabs.Root
        value={panel}
        onValueChange={(next) =>
          void navigate({ search: (before) => ({ ...before, panel: next as Panel }), replace: true })
        }
        className="flex min-h-0 flex-1 flex-col"
      >
        <Tabs.List aria-label="Try it out" className="flex border-b border-line px-2 pt-1">
          <Tabs.Trigger value="talk" className={TAB}>
            Talk
          </Tabs.Trigger>
          <Tabs.Trigger value="chat" className={TAB}>
            Chat
          </Tabs.Trigger>
        </Tabs.List>
        {stale && (
          <p className="border-b border-line bg-warn-soft px-4 py-1.5 text-xs text-warn">
            You talk to what is saved. Save to try your changes.
          </p>
        )}
        <Tabs.Content value="talk" className="min-h-0 flex-1">
          <TalkPanel agentId={agent.id} agentName={agent.name} autoStart={talkNow} />
        </Tabs.Content>
        <Tabs.Content value="chat" className="min-h-0 flex-1">
          <ChatPanel agentId={agent.id} />
        </Tabs.Content>
      </Tabs.Root>
    </Card>
  );
}
