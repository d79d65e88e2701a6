import type { components } from '../../api/openapi.js';

type CallPage = Pick<
  components['schemas']['CallListResponse'],
  'search' | 'total' | 'total_is_capped' | 'has_more'
>;

const number = (value: number) => value.toLocaleString('en');

/** Says how far a search in transcripts got, over the pages that were asked for; undefined where nothing is searched. */
export function searchProgress(pages: readonly CallPage[]): string | undefined {
  const searched = pages.flatMap(({ search }) => search ?? []);
  if (searched.length === 0) return undefined;
  const looked = searched.reduce((sum, { looked_through }) => sum + looked_through, 0);
  const unreadable = searched.reduce((sum, one) => sum + one.unreadable, 0);
  const { total, total_is_capped: isCapped = false } = pages[0] ?? {};
  // Calls that came since the first page was counted are newer than where it began.
  const all = total === undefined || isCapped ? undefined : Math.max(total, looked);
  const of =
    isCapped && total !== undefined ? `more than ${number(total)}` : all === undefined ? '' : number(all);
  const isDone = pages.at(-1)?.has_more === false;
  const far = isDone
    ? `Looked through all ${number(looked)} calls.`
    : `Looked through ${number(looked)}${of === '' ? '' : ` of ${of}`} calls.`;
  if (unreadable === 0) return far;
  return `${far} The archive of ${number(unreadable)} of them cannot be read now: what was said there is not searched.`;
}
