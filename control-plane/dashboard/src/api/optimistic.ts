import {
  type DataTag,
  type QueryClient,
  type QueryKey,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { toast } from 'sonner';
import { remedyOf } from './errors.js';

/** Kept answers that a change shows in, and how they look after it. */
export interface ShownIn {
  readonly queryKey: QueryKey;
  /** Those whose keys begin so as well. */
  readonly below: boolean;
  readonly change: (data: unknown) => unknown;
}

/** A change of one query's answer. */
export const shownIn = <Data>(
  { queryKey }: { readonly queryKey: DataTag<QueryKey, Data, Error> },
  change: (data: Data) => Data,
): ShownIn => ({ queryKey, below: false, change: (data) => change(data as Data) });

/** The same of every query whose key begins so, as a list has by its filters. */
export const shownBelow = <Data>(queryKey: QueryKey, change: (data: Data) => Data): ShownIn => ({
  queryKey,
  below: true,
  change: (data) => change(data as Data),
});

/** Shows changes before the service has made them. Returns what takes them back, where nothing came after them. */
export async function showAtOnce(client: QueryClient, changes: readonly ShownIn[]): Promise<() => void> {
  const undos: (() => void)[] = [];
  for (const { queryKey, below, change } of changes) {
    const those = { queryKey, exact: !below };
    // An answer that is under way would show the old state again.
    await client.cancelQueries(those);
    for (const [key, before] of client.getQueriesData(those)) {
      if (before === undefined) continue;
      client.setQueryData(key, change(before));
      const shown = client.getQueryData(key);
      undos.push(() => {
        if (client.getQueryData(key) === shown) client.setQueryData(key, before);
      });
    }
  }
  return () => {
    for (const undo of undos.reverse()) undo();
  };
}

interface OptimisticOptions<Answer, Variables> {
  readonly change: (variables: Variables) => Promise<Answer>;
  readonly shows: (variables: Variables) => readonly ShownIn[];
  /** Everything that is asked for anew once the service has answered. */
  readonly queryKey: QueryKey;
  /** What happened, for a toast. */
  readonly done: (answer: Answer, variables: Variables) => string;
  /** What did not happen, as "The webhook is still on". */
  readonly failure: (variables: Variables) => string;
  readonly onDone?: (answer: Answer) => unknown;
}

/** Makes a change that is shown at once, and taken back with the reason where the service refuses it. */
export function useOptimistic<Answer, Variables>(options: OptimisticOptions<Answer, Variables>) {
  const client = useQueryClient();
  const { queryKey } = options;
  return useMutation({
    mutationKey: queryKey,
    mutationFn: options.change,
    onMutate: (variables) => showAtOnce(client, options.shows(variables)),
    onSuccess: (answer, variables) => {
      toast.success(options.done(answer, variables));
      return options.onDone?.(answer);
    },
    onError: (error, variables, takeBack) => {
      takeBack?.();
      toast.error(options.failure(variables), { description: reasonOf(error) });
    },
    // The last of several at a time: before, the service may not know of those that are shown.
    onSettled: () =>
      client.isMutating({ mutationKey: queryKey }) === 1 ? client.invalidateQueries({ queryKey }) : undefined,
  });
}

/** Why something was refused, and what to do about it. */
export const reasonOf = (error: Error): string => [error.message, remedyOf(error)].filter(Boolean).join(' ');
