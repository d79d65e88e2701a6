import type { AgendaBackend, JobParameters, JobRepository } from 'agenda';

/** How long one look at the jobs serves a scan, in ms; scans are a second apart. */
const LOOK_SERVES_MS = 250;

/**
 * Returns the backend, asked as little as a few recurring jobs need. Agenda asks the store once a second for each job's
 * name by a write that finds nothing most of the time, and saves at a job's start what its end saves again; an idle
 * control plane spent most of its time on that. Here one read serves all names of a scan, the write follows only where
 * a job may be due, and the start of a job is not saved: its lock, which decides who runs it, is in the store before.
 */
export function sparingBackend(backend: AgendaBackend): AgendaBackend {
  const { repository } = backend;
  const lockNext: JobRepository['getNextJobToRun'] = repository.getNextJobToRun.bind(repository);
  const save: JobRepository['saveJobState'] = repository.saveJobState.bind(repository);
  /** When each job that this replica runs was locked. */
  const lockedAt = new Map<string, Date>();
  let look: { readonly at: number; readonly jobs: Promise<JobParameters[]> } | undefined;

  const lookAtAll = (): Promise<JobParameters[]> => {
    const now = performance.now();
    if (!look || now - look.at > LOOK_SERVES_MS) {
      look = { at: now, jobs: repository.queryJobs({}).then(({ jobs }) => jobs) };
    }
    return look.jobs;
  };

  repository.getNextJobToRun = async (name, nextScanAt, lockDeadline, now, options) => {
    const jobs = await lookAtAll();
    const at = jobs.findIndex((job) => job.name === name && mayBeDue(job, nextScanAt, lockDeadline));
    if (at < 0) return undefined;
    // Whichever replica gets the lock, it is not free again before the next look.
    jobs.splice(at, 1);
    const job = await lockNext(name, nextScanAt, lockDeadline, now, options);
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

function mayBeDue(job: JobParameters, nextScanAt: Date, lockDeadline: Date): boolean {
  if (job.disabled) return false;
  if (job.lockedAt) return job.lockedAt <= lockDeadline;
  return job.nextRunAt != null && job.nextRunAt <= nextScanAt;
}
