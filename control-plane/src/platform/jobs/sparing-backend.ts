import type { AgendaBackend, JobRepository } from 'agenda';

/** For how long after a job was locked it is not asked for again, in ms. */
const LOCKED_JUST_NOW_MS = 250;

/**
 * Returns the backend, asked as little as one recurring job needs. Agenda asks for a second lock after each that it
 * got, which finds nothing, and saves at a job's start what its end saves again: the lock, which decides who runs it,
 * is in the store before.
 */
export function sparingBackend(backend: AgendaBackend): AgendaBackend {
  const { repository } = backend;
  const lockNext: JobRepository['getNextJobToRun'] = repository.getNextJobToRun.bind(repository);
  const save: JobRepository['saveJobState'] = repository.saveJobState.bind(repository);
  /** When this replica locked each job last, by the monotonic clock in ms. */
  const lockedAt = new Map<string, number>();
  /** Those of which Agenda has not saved the start yet. */
  const starting = new Map<string, Date>();

  repository.getNextJobToRun = async (name, ...when) => {
    if (performance.now() - (lockedAt.get(name) ?? -LOCKED_JUST_NOW_MS) < LOCKED_JUST_NOW_MS)
      return undefined;
    const job = await lockNext(name, ...when);
    if (job?.lockedAt) {
      lockedAt.set(name, performance.now());
      starting.set(name, job.lockedAt);
    }
    return job;
  };

  repository.saveJobState = async (job, options) => {
    const starts = job.lockedAt !== undefined && job.lockedAt === starting.get(job.name);
    starting.delete(job.name);
    if (!starts) await save(job, options);
  };
  return backend;
}
