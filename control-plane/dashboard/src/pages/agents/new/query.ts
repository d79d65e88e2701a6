import { queryOptions } from '@tanstack/react-query';
import { type Api, dataOf, type Mode } from '../../../api/client.js';
import type { components } from '../../../api/openapi.js';

export type Template = components['schemas']['AgentTemplateResponse'];

/** What an agent can begin with. */
export const templatesQuery = ({ api, mode }: { readonly api: Api; readonly mode: Mode }) =>
  queryOptions({
    queryKey: [mode, 'agent-templates'],
    staleTime: Infinity,
    queryFn: async ({ signal }) => (await dataOf(api.GET('/api/v1/agent-templates', { signal }))).templates,
  });
