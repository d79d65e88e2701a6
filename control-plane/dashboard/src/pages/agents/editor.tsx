import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createLazyRoute, getRouteApi, Link, useBlocker, useNavigate } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { FormProvider, type Path } from 'react-hook-form';
import { toast } from 'sonner';
import { dataOf } from '../../api/client.js';
import { ApiError } from '../../api/errors.js';
import { useApi } from '../../api/mode.js';
import type { components } from '../../api/openapi.js';
import { shownIn, useOptimistic } from '../../api/optimistic.js';
import type { Agent } from '../../api/types.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { ErrorState } from '../../ui/error-state.js';
import { Card, Page } from '../../ui/page.js';
import { SkeletonRows } from '../../ui/skeleton.js';
import { AnalysisSection } from './editor/analysis-section.js';
import { EditConflict, EditConflictDialog } from './editor/edit-conflict.js';
import { Estimate } from './editor/estimate.js';
import { type AgentForm, changesOf, conflictsOf, formOf } from './editor/form.js';
import { PromptSection } from './editor/prompt-section.js';
import { RulesSection } from './editor/rules-section.js';
import { attentionWords, LABELS, sectionsOf } from './editor/sections.js';
import { showStored } from './editor/show-stored.js';
import { TestPanel } from './editor/test-panel.js';
import { ToolsSection } from './editor/tools/tools-section.js';
import { TurnsSection } from './editor/turns-section.js';
import { useAgentForm } from './editor/use-agent-form.js';
import { VoiceSection } from './editor/voice-section.js';
import { agentQuery, agentsQuery } from './query.js';
import { SECTIONS, type Section } from './search.js';

const VersionsSection = lazy(() => import('./editor/versions-section.js'));

export const route = createLazyRoute('/agents/$agentId')({ component: AgentPage });
const api = getRouteApi('/agents/$agentId');

const TAB =
  'h-9 border-b-2 border-transparent px-3 font-medium whitespace-nowrap text-muted data-[state=active]:border-accent data-[state=active]:text-text';

function AgentPage(): ReactNode {
  const { agentId } = api.useParams();
  const agent = useQuery(agentQuery(useApi(), agentId));
  const back = (
    <Link to="/agents" className="mb-1 inline-flex items-center gap-1 text-muted hover:text-text">
      <ArrowLeft aria-hidden className="size-3.5" /> Agents
    </Link>
  );
  if (agent.isPending) {
    return (
      <Page title="Agent" before={back}>
        <SkeletonRows />
      </Page>
    );
  }
  if (agent.isLoadingError) {
    return (
      <Page title="Agent" before={back}>
        <ErrorState
          title="The agent could not be loaded"
          error={agent.error}
          onRetry={() => void agent.refetch()}
        />
      </Page>
    );
  }
  return <Editor key={agent.data.id} agent={agent.data} back={back} />;
}

function Editor({ agent, back }: { readonly agent: Agent; readonly back: ReactNode }): ReactNode {
  const context = useApi();
  const client = useQueryClient();
  const navigate = useNavigate({ from: '/agents/$agentId' });
  const { section = 'prompt', talk = false } = api.useSearch();
  const open = (next: Section) =>
    void navigate({ search: (before) => ({ ...before, section: next }), replace: true });
  // Of the address that the page was opened by: it is taken out, so that a reload does not call again.
  const [talkNow] = useState(talk);
  useEffect(() => {
    if (talk) void navigate({ search: (before) => ({ ...before, talk: undefined }), replace: true });
  }, [talk, navigate]);
  const form = useAgentForm(agent);
  const { isDirty, defaultValues } = form.formState;
  // What the form began with; what is stored may be another's work meanwhile, which a save leaves alone.
  const begun = defaultValues as AgentForm;
  useBlocker({
    // From one part of the editor to another nothing is lost.
    shouldBlockFn: ({ current, next }) =>
      isDirty &&
      current.pathname !== next.pathname &&
      !confirm('Leave without saving? Your changes of this agent are lost.'),
    enableBeforeUnload: () => isDirty,
  });
  const shownVersion = useRef(agent.version);
  const show = (stored: Agent, sent = form.getValues()) => {
    client.setQueryData(agentQuery(context, agent.id).queryKey, stored);
    shownVersion.current = stored.version;
    showStored(form, formOf(stored), sent);
  };
  useEffect(() => {
    // An answer from before a save may come after it.
    if (isDirty || agent.version <= shownVersion.current) return;
    shownVersion.current = agent.version;
    const stored = formOf(agent);
    if (Object.keys(changesOf(begun, stored)).length > 0) form.reset(stored);
  }, [agent, isDirty, begun, form]);
  const save = useMutation({
    mutationFn: async ({ edited, over }: Save) => {
      if (!over) {
        const stored = await client.fetchQuery({ ...agentQuery(context, agent.id), staleTime: 0 });
        const fields = conflictsOf(begun, formOf(stored), edited);
        if (fields.length > 0) throw new EditConflict(fields, edited);
      }
      return dataOf(
        context.api.PATCH('/api/v1/agents/{agent_id}', {
          params: { path: { agent_id: agent.id } },
          // What the form does not know of a tool is as the service gave it.
          body: changesOf(begun, edited) as components['schemas']['AgentUpdate'],
        }),
      );
    },
    onSuccess: async (saved, { sent }) => {
      show(saved, sent);
      toast.success('Saved. New calls speak as it is now.');
      await client.invalidateQueries({ queryKey: [context.mode, 'agents'] });
    },
    onError: (error) => {
      for (const { path, message } of error instanceof ApiError ? error.fields : []) {
        if (path !== '') form.setError(path as Path<AgentForm>, { message });
      }
    },
  });
  const { id } = agent;
  const toggle = useOptimistic({
    change: (active: boolean) =>
      dataOf(
        context.api.PATCH('/api/v1/agents/{agent_id}', {
          params: { path: { agent_id: id } },
          body: { is_active: active },
        }),
      ),
    shows: (active) => [
      shownIn(agentQuery(context, id), (shown) => ({ ...shown, is_active: active })),
      shownIn(agentsQuery(context), (all) =>
        all.map((each) => (each.id === id ? { ...each, is_active: active } : each)),
      ),
    ],
    queryKey: [context.mode, 'agents'],
    done: ({ is_active }) => `${agent.name} is ${is_active ? 'on' : 'off'}`,
    failure: (active) => `${agent.name} is still ${active ? 'off' : 'on'}`,
    // The rest of the form may have changes that are not saved.
    onDone: ({ is_active }) => form.resetField('is_active', { defaultValue: is_active }),
  });
  const attention = useRef<string | number>(undefined);
  const submit = form.handleSubmit(
    (edited) => {
      // ⌘S may come again before the answer.
      if (!save.isPending) save.mutate({ edited, sent: structuredClone(form.getValues()), over: false });
    },
    (errors) => {
      const wrong = sectionsOf(errors);
      // One that is shown already would go with the time of the first.
      toast.dismiss(attention.current);
      attention.current = toast.error(attentionWords(wrong));
      const [first] = wrong;
      if (first !== undefined && !wrong.includes(section)) open(first);
    },
  );
  useSaveKey(() => void submit());
  const tabs = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a phone the chosen part may be out of sight
  useEffect(() => {
    const list = tabs.current;
    const active = list?.querySelector<HTMLElement>('[data-state="active"]');
    // The list alone: the page stays where it is.
    if (active) list?.scrollTo({ left: active.offsetLeft - (list.clientWidth - active.offsetWidth) / 2 });
  }, [section]);

  return (
    <FormProvider {...form}>
      <Page
        title={agent.name}
        before={back}
        badge={!agent.is_active && <Badge>Off</Badge>}
        actions={
          <>
            {isDirty && (
              <Button onClick={() => form.reset()} disabled={save.isPending}>
                Discard
              </Button>
            )}
            <Button
              needs="updateAgent"
              busy={toggle.isPending}
              disabled={save.isPending}
              onClick={() => toggle.mutate(!agent.is_active)}
            >
              {agent.is_active ? 'Switch off' : 'Switch on'}
            </Button>
            <Button
              needs="updateAgent"
              variant="primary"
              aria-keyshortcuts="Meta+S Control+S"
              disabled={!isDirty}
              busy={save.isPending}
              onClick={() => void submit()}
            >
              {isDirty ? 'Save' : 'Saved'}
            </Button>
          </>
        }
      >
        <Estimate agent={agent} />
        {save.error instanceof EditConflict ? (
          <EditConflictDialog
            conflict={save.error}
            onClose={() => save.reset()}
            onCompare={() => {
              save.reset();
              open('versions');
            }}
            onSaveOver={(edited) =>
              save.mutate({ edited, sent: structuredClone(form.getValues()), over: true })
            }
          />
        ) : (
          save.isError && <ErrorState title="The agent could not be saved" error={save.error} />
        )}
        {agent.warnings.length > 0 && (
          <ul className="rounded-lg border border-line bg-warn-soft px-4 py-2.5">
            {agent.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        )}
        <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(22rem,2fr)]">
          <Card className="min-w-0">
            <Tabs.Root value={section} onValueChange={(next) => open(next as Section)}>
              <Tabs.List
                ref={tabs}
                aria-label="Parts of the agent"
                className="relative flex overflow-x-auto border-b border-line px-2 pt-1"
              >
                {SECTIONS.map((name) => (
                  <Tabs.Trigger key={name} value={name} className={TAB}>
                    {LABELS[name]}
                  </Tabs.Trigger>
                ))}
              </Tabs.List>
              <div className="p-4">
                <Tabs.Content value="prompt">
                  <PromptSection />
                </Tabs.Content>
                <Tabs.Content value="tools">
                  <ToolsSection agentId={agent.id} />
                </Tabs.Content>
                <Tabs.Content value="voice">
                  <VoiceSection />
                </Tabs.Content>
                <Tabs.Content value="turns">
                  <TurnsSection />
                </Tabs.Content>
                <Tabs.Content value="rules">
                  <RulesSection />
                </Tabs.Content>
                <Tabs.Content value="analysis">
                  <AnalysisSection />
                </Tabs.Content>
                <Tabs.Content value="versions">
                  <Suspense fallback={<SkeletonRows />}>
                    <VersionsSection agent={agent} stale={isDirty} onRestored={show} />
                  </Suspense>
                </Tabs.Content>
              </div>
            </Tabs.Root>
          </Card>
          <TestPanel agent={agent} talkNow={talkNow} stale={isDirty} />
        </div>
      </Page>
    </FormProvider>
  );
}

interface Save {
  /** What the form says, read. */
  readonly edited: AgentForm;
  /** The same as it stands in the fields. */
  readonly sent: AgentForm;
  /** In place of what somebody else has saved meanwhile. */
  readonly over: boolean;
}

/** ⌘S saves, where browsers would save the page. */
function useSaveKey(save: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      save();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}
