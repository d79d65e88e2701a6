import type { AgendaBackend, JobRepository } from 'agenda';

/**
 * Returns the backend, without Agenda's save at a job's start: the lock, which decides who runs it, is in the store
 * before, and the job's end saves the rest.
 */
export function startUnsaved(backend: AgendaBackend): AgendaBackend {
  const { repository } = backend;
  const lockNext: JobRepository['getNextJobToRun'] = repository.getNextJobToRun.bind(repository);
  const save: JobRepository['saveJobState'] = repository.saveJobState.bind(repository);
  /** When each job that this replica is about to run was locked. */
  const lockedAt = new Map<string, Date>();

  repository.getNextJobToRun = async (name, ...when) => {
    const job = await lockNext(name, ...when);
    if (job?.lockedAt) lockedAt.set(name, job.lockedAt);
    return job;
  };

  repository.saveJobState = async (job, options) => {
    const starts = job.lockedAt !== undefined && job.lockedAt === lockedAt.get(job.name);
    lockedAt.delete(job.name);
    if (!starts) await save(job, options);
  };
  return backend;
}
