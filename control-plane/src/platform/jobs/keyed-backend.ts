import type { AgendaBackend, JobParameters, JobRepository } from 'agenda';
import type { KeyedJobs } from './keyed-jobs.js';
import { jobIdOf } from './scheduled-job-model.js';

/** What an Agenda job of a key carries. */
export interface KeyOf {
  readonly key: string;
}

/**
 * Returns the backend, with the jobs of these names kept by key in rows of their own.
 *
 * Where Agenda 6 and its MongoDB repository fall short of ten thousand jobs: each kind is polled by a command of its
 * own, each job locked by one and touched by one; jobs are locked ahead of their time and wait in a queue that is
 * searched anew for each; saving a job takes its lock off, and its end overwrites a time for which it was wanted
 * meanwhile. Here one scan reads all kinds, a job is locked when it is due, touching renews the replica's one lease,
 * and a time only ever comes earlier.
 */
export function keyedBackend(
  backend: AgendaBackend,
  names: ReadonlySet<string>,
  keyed: KeyedJobs,
): AgendaBackend {
  const { repository } = backend;
  const lockNext: JobRepository['getNextJobToRun'] = repository.getNextJobToRun.bind(repository);
  const saveState: JobRepository['saveJobState'] = repository.saveJobState.bind(repository);
  const save: JobRepository['saveJob'] = repository.saveJob.bind(repository);
  const unlock: JobRepository['unlockJob'] = repository.unlockJob.bind(repository);
  const unlockAll: JobRepository['unlockJobs'] = repository.unlockJobs.bind(repository);

  repository.getNextJobToRun = async (name, ...when) => {
    if (!names.has(name)) return lockNext(name, ...when);
    const held = await keyed.next(name);
    if (!held) return undefined;
    const now = new Date();
    const { id, key } = held.locked;
    return {
      _id: id,
      name,
      data: { key },
      type: 'normal',
      priority: 0,
      nextRunAt: now,
      lockedAt: now,
    } as never;
  };

  repository.saveJobState = async (job, options) => {
    if (!names.has(job.name)) return saveState(job, options);
    if (job.lockedAt) return keyed.touch();
    await keyed.release(String(job._id), job.nextRunAt?.getTime() ?? null);
  };

  repository.saveJob = async <Data>(job: JobParameters<Data>, options: Parameters<typeof save>[1]) => {
    if (!names.has(job.name)) return save(job, options);
    const { key } = job.data as KeyOf;
    await keyed.schedule(job.name, key, job.nextRunAt?.getTime() ?? Date.now());
    return { ...job, _id: jobIdOf(job.name, key) as never };
  };

  repository.unlockJob = async (job) => {
    if (!names.has(job.name)) return unlock(job);
    await keyed.release(String(job._id), job.nextRunAt?.getTime() ?? null);
  };

  repository.unlockJobs = async (ids) => {
    const now = Date.now();
    const mine = ids.filter((id) => keyed.held.has(String(id)));
    await Promise.all(mine.map((id) => keyed.release(String(id), now)));
    const others = ids.filter((id) => !mine.includes(id) && !isKeyed(String(id), names));
    if (others.length > 0) await unlockAll(others);
  };
  return backend;
}

function isKeyed(id: string, names: ReadonlySet<string>): boolean {
  return names.has(id.slice(0, id.indexOf(':')));
}
