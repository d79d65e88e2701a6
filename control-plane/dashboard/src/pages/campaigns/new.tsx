import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router';
import { TEST_NUMBERS, testNumber } from '@voice/shared/contracts/test-numbers';
import { ArrowLeft } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { FormProvider, useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { dataOf, type Mode } from '../../api/client.js';
import { ApiError } from '../../api/errors.js';
import { useApi } from '../../api/mode.js';
import { counted } from '../../format/words.js';
import { Button } from '../../ui/button.js';
import { ErrorState } from '../../ui/error-state.js';
import { Card, Page } from '../../ui/page.js';
import { Skeleton } from '../../ui/skeleton.js';
import { agentsQuery } from '../agents/query.js';
import { Check } from './new/check.js';
import { Columns } from './new/columns.js';
import {
  type CheckedContacts,
  checkContacts,
  guessMeanings,
  type Meaning,
  mappingProblem,
} from './new/contacts-csv.js';
import { DropZone } from './new/drop-zone.js';
import { ForecastView } from './new/forecast-view.js';
import {
  DEFAULT_SETTINGS,
  type Settings,
  type SettingsInput,
  settingsBody,
  settingsForm,
} from './new/form.js';
import { type CsvFile, readCsv } from './new/read-csv.js';
import { SettingsFields } from './new/settings-fields.js';
import { phonesQuery } from './query.js';

export const route = createLazyRoute('/campaigns/new')({ component: NewCampaignPage });

/** The sandbox calls its test numbers alone, and these may repeat. */
const rulesOf = (mode: Mode) => ({
  callable: (phone: string) =>
    mode === 'live'
      ? testNumber(phone) === undefined
        ? null
        : 'A test number of the sandbox. Nobody owns it.'
      : testNumber(phone) === undefined
        ? 'The sandbox calls test numbers only.'
        : null,
  mayRepeat: (phone: string) => mode === 'sandbox' && testNumber(phone) !== undefined,
});

interface Mapped {
  readonly file: CsvFile;
  readonly meanings: readonly Meaning[];
}

/** From a CSV file to a draft: columns, what is wrong with each row, settings and a forecast. Nothing is saved before. */
function NewCampaignPage(): ReactNode {
  const { mode } = useApi();
  const [mapped, setMapped] = useState<Mapped | null>(null);
  const [unreadable, setUnreadable] = useState<string | null>(null);
  const read = async (file: File) => {
    try {
      const csv = await readCsv(file);
      setMapped({ file: csv, meanings: guessMeanings(csv.header) });
      setUnreadable(null);
    } catch (error) {
      setUnreadable(error instanceof Error ? error.message : String(error));
    }
  };
  const problem = mapped && mappingProblem(mapped.file.header, mapped.meanings);
  const checked = useMemo(
    () =>
      mapped && problem === null
        ? checkContacts(mapped.file.header, mapped.meanings, mapped.file.rows, rulesOf(mode))
        : null,
    [mapped, problem, mode],
  );
  return (
    <Page
      title="New campaign"
      before={
        <Link to="/campaigns" className="mb-1 inline-flex items-center gap-1 text-muted hover:text-text">
          <ArrowLeft aria-hidden className="size-3.5" /> Campaigns
        </Link>
      }
    >
      <Card
        title="1. Contacts"
        aside={
          mapped && (
            <Button size="small" onClick={() => setMapped(null)}>
              Choose another file
            </Button>
          )
        }
      >
        <div className="flex flex-col gap-4 p-4">
          {mapped === null ? (
            <DropZone onFile={(file) => void read(file)} />
          ) : (
            <>
              <p>
                <strong>{mapped.file.name}</strong>: {counted(mapped.file.rows.length, 'row')}. What does each
                column hold?
              </p>
              <Columns
                file={mapped.file}
                meanings={mapped.meanings}
                onChange={(meanings) => setMapped({ ...mapped, meanings })}
              />
            </>
          )}
          {(unreadable ?? problem) !== null && (
            <p role="alert" className="font-medium text-bad">
              {unreadable ?? problem}
            </p>
          )}
          {mode === 'sandbox' && mapped === null && <TestNumbers />}
          {checked !== null && <Check checked={checked} />}
        </div>
      </Card>
      {checked !== null && checked.contacts.length > 0 && <SettingsCard checked={checked} />}
    </Page>
  );
}

function TestNumbers(): ReactNode {
  return (
    <details>
      <summary className="cursor-pointer font-medium">Numbers that the sandbox can call</summary>
      <ul className="mt-2 grid gap-x-6 gap-y-1 sm:grid-cols-2">
        {TEST_NUMBERS.map(({ number, description }) => (
          <li key={number}>
            <code className="font-mono text-xs">{number}</code>{' '}
            <span className="text-muted">{description}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function SettingsCard({ checked }: { readonly checked: CheckedContacts }): ReactNode {
  const context = useApi();
  const client = useQueryClient();
  const navigate = useNavigate();
  const agents = useQuery(agentsQuery(context));
  const phones = useQuery(phonesQuery(context));
  const form = useForm<SettingsInput, unknown, Settings>({
    resolver: zodResolver(settingsForm),
    defaultValues: DEFAULT_SETTINGS,
  });
  const settings = form.watch();
  const create = useMutation({
    mutationFn: (values: Settings) =>
      dataOf(
        context.api.POST('/api/v1/campaigns', {
          body: { ...settingsBody(values), contacts: [...checked.contacts] },
        }),
      ),
    onSuccess: async ({ id, name }) => {
      await client.invalidateQueries({ queryKey: [context.mode, 'campaigns', 'list'] });
      toast.success(`${name} is a draft. Launch it when you are ready.`);
      await navigate({ to: '/campaigns/$campaignId', params: { campaignId: id } });
    },
  });
  const failed = [agents, phones].find(({ isLoadingError }) => isLoadingError);
  if (failed !== undefined) {
    return (
      <ErrorState
        title="Agents and numbers could not be loaded"
        error={failed.error}
        onRetry={() => void failed.refetch()}
      />
    );
  }
  if (agents.data === undefined || phones.data === undefined) return <Skeleton className="h-60" />;
  const active = agents.data.filter(({ is_active }) => is_active);
  return (
    <FormProvider {...form}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => void form.handleSubmit((values) => create.mutate(values))(event)}
      >
        <Card title="2. How it calls">
          <div className="p-4">
            <SettingsFields
              agents={active}
              phones={phones.data.map(({ id, phone_number, caller_id_verified_at }) => ({
                id,
                phone_number,
                verified: caller_id_verified_at !== null,
              }))}
            />
          </div>
        </Card>
        <Card title="3. Forecast">
          <div className="p-4">
            <ForecastView
              contacts={checked.contacts.length}
              settings={settings}
              agent={active.find(({ id }) => id === settings.agent_id)}
            />
          </div>
        </Card>
        {create.isError && (
          <ErrorState title="The campaign could not be created" error={inRows(create.error, checked.rows)} />
        )}
        <div className="flex justify-end">
          <Button needs="createCampaign" type="submit" variant="primary" busy={create.isPending}>
            Create campaign
          </Button>
        </div>
      </form>
    </FormProvider>
  );
}

/** Names the rows of the file where the API names places in its list of contacts. */
function inRows(error: Error, rows: readonly number[]): Error {
  if (!(error instanceof ApiError) || error.fields.length === 0) return error;
  const message = error.fields
    .slice(0, 20)
    .map(({ path, message: wrong }) => {
      const index = /^contacts\.(\d+)/.exec(path)?.[1];
      return index === undefined ? `${path}: ${wrong}.` : `Row ${rows[Number(index)] ?? '?'}: ${wrong}.`;
    })
    .join(' ');
  return new ApiError({ status: error.status, code: error.code, requestId: error.requestId, message });
}
