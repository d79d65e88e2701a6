import type { Clock } from '@voice/shared/clock/clock';
import type { AgendaBackend, JobParameters, JobRepository } from 'agenda';

/** Returns the job with its times set forward, in ms. */
function setForward<Data>(job: JobParameters<Data>, ms: number): JobParameters<Data> {
  const moved = { ...job };
  for (const name of ['nextRunAt', 'lockedAt', 'lastRunAt', 'lastFinishedAt', 'failedAt'] as const) {
    const at = job[name];
    if (at) moved[name] = later(at, ms);
  }
  return moved;
}

const later = (at: Date, ms: number) => new Date(at.getTime() + ms);

/**
 * Returns the backend, whose store has times by this clock. Agenda reads the machine's and cannot be given another, so
 * they are converted on their way: replicas whose machines differ agree when a job is due and which lock is too old.
 */
export function adjustedBackend(backend: AgendaBackend, clock: Pick<Clock, 'now'>): AgendaBackend {
  const { repository } = backend;
  const lockNext: JobRepository['getNextJobToRun'] = repository.getNextJobToRun.bind(repository);
  const saveState: JobRepository['saveJobState'] = repository.saveJobState.bind(repository);
  const save: JobRepository['saveJob'] = repository.saveJob.bind(repository);
  /** By how much the clock is ahead of the machine's, in ms. */
  const ahead = () => clock.now() - Date.now();

  repository.getNextJobToRun = async (name, scanAt, lockDeadline, now = new Date(), options) => {
    const ms = ahead();
    const job = await lockNext(name, later(scanAt, ms), later(lockDeadline, ms), later(now, ms), options);
    return job && setForward(job, -ms);
  };

  repository.saveJobState = (job, options) => saveState(setForward(job, ahead()), options);

  repository.saveJob = async <Data>(job: JobParameters<Data>, options: Parameters<typeof save>[1]) => {
    const ms = ahead();
    return setForward(await save(setForward(job, ms), options), -ms);
  };
  return backend;
}
