/**
 * Collections that stay small whatever the number of calls, by why: their queries need no index of their own. Who adds
 * one here says what bounds it.
 */
export const SMALL_COLLECTIONS: Readonly<Record<string, string>> = {
  workers: 'one a media worker',
  sweeps: 'one a sweep',
  agendaJobs: 'jobs of the scheduler, which makes indexes of its own',
};
