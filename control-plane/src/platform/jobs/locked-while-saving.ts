import type { AgendaBackend, JobRepository } from 'agenda';

/**
 * Returns the backend, with a job's lock kept in memory until its end is saved.
 *
 * Agenda 6 takes the lock off a finished job before it saves that, and its watchdog, which looks every half
 * lock's life, takes a job without a lock for one that lost it: where the store is slow to save, it reports
 * "canceled, no lockedAt date found" for a job whose work was done. What is saved is unchanged.
 */
export function lockedWhileSaving(backend: AgendaBackend): AgendaBackend {
  const { repository } = backend;
  const save: JobRepository['saveJobState'] = repository.saveJobState.bind(repository);
  repository.saveJobState = async (job, options) => {
    if (job.lockedAt) return save(job, options);
    const finished = { ...job };
    job.lockedAt = new Date();
    try {
      await save(finished, options);
    } finally {
      job.lockedAt = undefined;
    }
  };
  return backend;
}
