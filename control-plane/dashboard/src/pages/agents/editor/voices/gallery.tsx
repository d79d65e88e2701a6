import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { AudioLines, Pause, Play } from 'lucide-react';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { ApiError } from '../../../../api/errors.js';
import { useApi } from '../../../../api/mode.js';
import type { Voice } from '../../../../api/types.js';
import { Badge } from '../../../../ui/badge.js';
import { Button } from '../../../../ui/button.js';
import { columnsOf, DataTable } from '../../../../ui/data-table.js';
import { Dialog } from '../../../../ui/dialog.js';
import { EmptyState } from '../../../../ui/empty-state.js';
import { ErrorState } from '../../../../ui/error-state.js';
import { Field, Input, Select } from '../../../../ui/field.js';
import { SkeletonRows } from '../../../../ui/skeleton.js';
import { isVoice, type VoiceChoice } from './choice.js';
import { voicesQuery } from './query.js';
import { usePreview } from './use-preview.js';

interface VoiceGalleryProps {
  /** Providers of voices, by name. */
  readonly providers: readonly string[];
  /** The agent's language, to begin with. */
  readonly language: string;
  readonly choice: VoiceChoice;
  readonly onChoose: (voice: Voice) => void;
  readonly onClose: () => void;
}

const column = columnsOf<Voice>();

/** Finds a voice by provider, language and words, lets it be heard, and takes it. */
export function VoiceGallery({
  providers,
  language,
  choice,
  onChoose,
  onClose,
}: VoiceGalleryProps): ReactNode {
  const [provider, setProvider] = useState(choice.provider);
  const [spoken, setSpoken] = useState(language.split('-')[0] ?? '');
  const [q, setQ] = useState('');
  const search = useDeferredValue({
    provider,
    language: /^[a-z]{2,3}$/i.test(spoken) ? spoken : '',
    q: q.trim(),
  });
  const found = useInfiniteQuery(voicesQuery(useApi(), search));
  const { playing, failed, toggle } = usePreview();
  const voices = useMemo(() => found.data?.pages.flatMap((page) => page.voices) ?? [], [found.data]);
  const source = found.data?.pages[0]?.sources[0];
  const columns = useMemo(
    () => [
      column.display({
        id: 'hear',
        header: () => <span className="sr-only">Preview</span>,
        meta: { width: '2.5rem', phoneWidth: '2.5rem' },
        cell: ({ row: { original: voice } }) => {
          const url = voice.preview_url;
          if (url === null) return null;
          const Icon = playing === url ? Pause : Play;
          return (
            <Button
              variant="ghost"
              size="small"
              aria-label={playing === url ? `Stop ${voice.name}` : `Hear ${voice.name}`}
              onClick={() => toggle(url)}
            >
              <Icon aria-hidden className="size-4" />
            </Button>
          );
        },
      }),
      column.accessor('name', {
        header: 'Voice',
        meta: { width: 'minmax(0, 1fr)', phoneWidth: 'minmax(0, 1fr)' },
        cell: ({ row: { original: voice } }) => (
          <span title={voice.description}>
            <span className="font-medium">{voice.name}</span>{' '}
            <span className="text-xs text-muted">
              {[voice.gender, voice.accent, voice.languages.slice(0, 3).join(' ')].filter(Boolean).join(', ')}
            </span>
          </span>
        ),
      }),
      column.display({
        id: 'choose',
        header: () => <span className="sr-only">Choose</span>,
        meta: { width: '5rem', phoneWidth: '5rem', align: 'end' },
        cell: ({ row: { original: voice } }) =>
          isVoice(choice, voice) ? (
            <Badge tone="accent">Chosen</Badge>
          ) : (
            <Button size="small" aria-label={`Choose ${voice.name}`} onClick={() => onChoose(voice)}>
              Choose
            </Button>
          ),
      }),
    ],
    [playing, toggle, choice, onChoose],
  );
  return (
    <Dialog open onOpenChange={onClose} title="Choose a voice" description="Hear it before callers do.">
      <div className="grid gap-3 sm:grid-cols-3">
        <Field label="Provider">
          {(ids) => (
            <Select {...ids} value={provider} onChange={({ target }) => setProvider(target.value)}>
              {providers.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Language">
          {(ids) => (
            <Input
              {...ids}
              value={spoken}
              placeholder="any"
              autoComplete="off"
              onChange={({ target }) => setSpoken(target.value)}
            />
          )}
        </Field>
        <Field label="Search">
          {(ids) => (
            <Input
              {...ids}
              type="search"
              value={q}
              placeholder="female british"
              autoComplete="off"
              onChange={({ target }) => setQ(target.value)}
            />
          )}
        </Field>
      </div>
      {source?.state === 'stale' && (
        <p className="text-xs">
          <Badge tone="warn">Kept from before</Badge> {source.detail}
        </p>
      )}
      {failed && (
        <p role="alert" className="text-xs font-medium text-bad">
          The recording could not be played. Try again, or another voice.
        </p>
      )}
      {found.isPending ? (
        <SkeletonRows rows={5} />
      ) : found.isError ? (
        <>
          <ErrorState
            title="The voices could not be loaded"
            error={found.error}
            onRetry={() => void found.refetch()}
          />
          {needsKey(found.error) && (
            <Link to="/settings/vendor-keys" className="font-medium text-accent underline">
              Add your key
            </Link>
          )}
        </>
      ) : voices.length === 0 ? (
        <EmptyState icon={AudioLines} title="No such voice">
          Leave the language or the search empty, or choose another provider.
        </EmptyState>
      ) : (
        <DataTable
          label="Voices"
          className="h-72"
          rows={voices}
          columns={columns}
          idOf={({ provider: of, id }) => `${of} ${id}`}
          more={{
            has: found.hasNextPage,
            loading: found.isFetchingNextPage,
            load: () => void found.fetchNextPage(),
          }}
        />
      )}
    </Dialog>
  );
}

function needsKey(error: unknown): boolean {
  return error instanceof ApiError && ['provider_unavailable', 'vendor_key_refused'].includes(error.code);
}
