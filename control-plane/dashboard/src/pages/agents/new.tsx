import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useApi } from '../../api/mode.js';
import { label } from '../../format/words.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { ErrorState } from '../../ui/error-state.js';
import { Page } from '../../ui/page.js';
import { SkeletonRows } from '../../ui/skeleton.js';
import { CloneTemplate } from './new/clone-template.js';
import { createDemoAgent } from './new/demo-agent.js';
import { type Template, templatesQuery } from './new/query.js';

export const route = createLazyRoute('/agents/new')({ component: NewAgentPage });

/** Begins with the demo agent, or with a template. */
function NewAgentPage(): ReactNode {
  const context = useApi();
  const client = useQueryClient();
  const navigate = useNavigate();
  const templates = useQuery(templatesQuery(context));
  const [chosen, setChosen] = useState<Template | null>(null);
  const created = async (agentId: string) => {
    await client.invalidateQueries({ queryKey: [context.mode, 'agents'] });
    await navigate({ to: '/agents/$agentId', params: { agentId } });
  };
  const demo = useMutation({
    mutationFn: () => createDemoAgent(context.api),
    onSuccess: ({ id }) => created(id),
  });
  const card = 'flex flex-col items-start gap-2 rounded-lg border border-line bg-surface p-4';
  return (
    <Page
      title="New agent"
      before={
        <Link to="/agents" className="mb-1 inline-flex items-center gap-1 text-muted hover:text-text">
          <ArrowLeft aria-hidden className="size-3.5" /> Agents
        </Link>
      }
      description="Begin with what is near to what you need. Everything can be changed afterwards."
    >
      {demo.isError && <ErrorState title="The agent could not be created" error={demo.error} />}
      {templates.isPending ? (
        <SkeletonRows />
      ) : templates.isLoadingError ? (
        <ErrorState
          title="The templates could not be loaded"
          error={templates.error}
          onRetry={() => void templates.refetch()}
        />
      ) : (
        <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3 2xl:grid-cols-4">
          <li className={`${card} border-accent!`}>
            <Badge tone="accent">Needs no key</Badge>
            <h2 className="font-semibold">Ada, the demo</h2>
            <p className="flex-1 text-muted">
              Books appointments at a dental clinic, with the recogniser, the model and the voice of this
              installation.
            </p>
            <Button needs="createAgent" variant="primary" busy={demo.isPending} onClick={() => demo.mutate()}>
              Create Ada
            </Button>
          </li>
          {templates.data.map((template) => (
            <li key={template.slug} className={card}>
              <Badge>{label(template.category)}</Badge>
              <h2 className="font-semibold">{template.name}</h2>
              <p className="flex-1 text-muted">{template.description}</p>
              <Button
                needs="cloneAgentTemplate"
                aria-label={`Use it: ${template.name}`}
                onClick={() => setChosen(template)}
              >
                Use it
              </Button>
            </li>
          ))}
        </ul>
      )}
      {chosen !== null && (
        <CloneTemplate
          template={chosen}
          onClose={() => setChosen(null)}
          onCreated={(id) => void created(id)}
        />
      )}
    </Page>
  );
}
