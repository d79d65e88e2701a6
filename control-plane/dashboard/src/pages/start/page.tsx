import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router';
import { Check, Mic } from 'lucide-react';
import type { ReactNode } from 'react';
import { dataOf } from '../../api/client.js';
import { useApi, useMode } from '../../api/mode.js';
import { recentCallsQuery } from '../../api/recent-calls.js';
import { counted } from '../../format/words.js';
import { Button } from '../../ui/button.js';
import { classes } from '../../ui/classes.js';
import { ErrorState } from '../../ui/error-state.js';
import { Page } from '../../ui/page.js';
import { SkeletonRows } from '../../ui/skeleton.js';
import { createDemoAgent } from '../agents/new/demo-agent.js';
import { agentsQuery, providersQuery } from '../agents/query.js';
import { nextStep, type StepKey, stepsOf } from './steps.js';

export const route = createLazyRoute('/start')({ component: StartPage });

/** From nothing to live, as a checklist that fills itself. */
function StartPage(): ReactNode {
  const context = useApi();
  const { mode, api } = context;
  const providers = useQuery(providersQuery(context));
  const agents = useQuery(agentsQuery(context));
  const calls = useQuery(recentCallsQuery(context));
  const phones = useQuery({
    queryKey: [mode, 'phones'],
    queryFn: async ({ signal }) => (await dataOf(api.GET('/api/v1/phones', { signal }))).phone_numbers,
  });
  const failed = [providers, agents, calls, phones].find(({ isLoadingError }) => isLoadingError);
  if (failed?.error) {
    return (
      <Page title="Start">
        <ErrorState
          title="The checklist could not be loaded"
          error={failed.error}
          onRetry={() => void failed.refetch()}
        />
      </Page>
    );
  }
  if (!providers.data || !agents.data || !calls.data || !phones.data) {
    return (
      <Page title="Start">
        <SkeletonRows />
      </Page>
    );
  }
  const ready = providers.data.filter(({ configured }) => configured);
  const steps = stepsOf({
    readyKinds: new Set(ready.map(({ kind }) => kind)),
    agents: agents.data.length,
    hasTalked: calls.data.some(({ started_at }) => started_at !== null),
    numbers: phones.data.length,
    isLive: mode === 'live',
  });
  const next = nextStep(steps);
  const vendors = [...new Set(ready.map(({ provider }) => provider))].filter((name) => name !== 'local');
  const contents: Readonly<Record<StepKey, readonly [string, ReactNode]>> = {
    providers: [
      'Recogniser, model and voice',
      vendors.length > 0 ? (
        `Ready: ${vendors.join(', ')}, and what needs no key.`
      ) : (
        <p key="without">
          What needs no key is ready, so you can begin. For better ones{' '}
          <Link to="/settings/vendor-keys" className="font-medium text-accent underline">
            add your key of a vendor
          </Link>
          , or set one where the system runs (OPENAI_API_KEY, DEEPGRAM_API_KEY, ELEVENLABS_API_KEY …).
        </p>
      ),
    ],
    agent: [
      'An agent',
      agents.data.length > 0 ? (
        `You have ${counted(agents.data.length, 'agent')}.`
      ) : (
        <FirstAgent key="first" />
      ),
    ],
    talk: ['Talk to it', <TalkNow key="talk" agentId={agents.data.find(({ is_active }) => is_active)?.id} />],
    number: ['A phone number', <FirstNumber key="number" count={phones.data.length} />],
    live: ['Go live', <GoLive key="live" />],
  };
  return (
    <Page title="Start" description="From nothing to an agent on the phone. This list fills itself.">
      <ol className="flex max-w-3xl flex-col gap-2">
        {steps.map(({ key, done }, at) => (
          <li
            key={key}
            aria-current={key === next ? 'step' : undefined}
            className={classes(
              'flex gap-3 rounded-lg border bg-surface p-4',
              key === next ? 'border-accent' : 'border-line',
            )}
          >
            <span
              className={classes(
                'flex size-6 shrink-0 items-center justify-center rounded-full text-xs font-semibold',
                done
                  ? 'bg-good-soft text-good'
                  : key === next
                    ? 'bg-accent text-on-accent'
                    : 'bg-sunken text-muted',
              )}
            >
              {done ? <Check aria-label="Done" className="size-4" /> : at + 1}
            </span>
            <div className="min-w-0 flex-1">
              <h2 className="font-semibold">{contents[key][0]}</h2>
              <div className="mt-0.5 text-muted">{contents[key][1]}</div>
            </div>
          </li>
        ))}
      </ol>
    </Page>
  );
}

/** The way that needs no decision, and the one that does. */
function FirstAgent(): ReactNode {
  const { mode, api } = useApi();
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () => createDemoAgent(api),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: [mode, 'agents'] });
      await navigate({ to: '/agents/$agentId', params: { agentId: id }, search: { talk: true } });
    },
  });
  return (
    <>
      <p>
        Who speaks: a prompt, a voice, tools. Ada, the demo, books appointments at a dental clinic and needs
        no key.
      </p>
      {create.isError && <ErrorState title="The agent could not be created" error={create.error} />}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button needs="createAgent" variant="primary" busy={create.isPending} onClick={() => create.mutate()}>
          <Mic aria-hidden className="size-4" /> Create Ada and talk to her
        </Button>
        <Button asChild>
          <Link to="/agents/new">Choose a template</Link>
        </Button>
      </div>
    </>
  );
}

function TalkNow({ agentId }: { readonly agentId: string | undefined }): ReactNode {
  if (agentId === undefined) return 'Over your microphone, here in the browser. First it takes an agent.';
  return (
    <>
      <p>Over your microphone, here in the browser, with the time that each answer took.</p>
      <Button asChild className="mt-3">
        <Link to="/agents/$agentId" params={{ agentId }} search={{ talk: true }}>
          <Mic aria-hidden className="size-4" /> Talk now
        </Link>
      </Button>
    </>
  );
}

function FirstNumber({ count }: { readonly count: number }): ReactNode {
  if (count > 0) return `You have ${counted(count, 'number')} in this mode.`;
  return (
    <>
      <p>Calls to it are answered by the agent that it is assigned to. Buy one, or bring your own.</p>
      <Button asChild className="mt-3">
        <Link to="/numbers">Get a number</Link>
      </Button>
    </>
  );
}

function GoLive(): ReactNode {
  const [mode, setMode] = useMode();
  if (mode === 'live') return 'You are live: real phones ring, and calls cost money.';
  return (
    <>
      <p>In the sandbox simulated people answer. Live, real phones ring and calls cost money.</p>
      <Button className="mt-3" onClick={() => setMode('live')}>
        Switch to live
      </Button>
    </>
  );
}
