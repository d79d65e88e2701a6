import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { STATUS_INTERVAL_MS, type WorkerBuildStatus } from '@voice/shared/mediasoup-worker/status';

type Unstamped<T> = T extends unknown ? Omit<T, 'updated_at'> : never;

/** Publishes how far the build is to the media workers, and keeps on saying so while it goes on. */
export class StatusFile {
  readonly #path: string;
  readonly #beat: NodeJS.Timeout;
  #status: Unstamped<WorkerBuildStatus> | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#beat = setInterval(() => this.#write(), STATUS_INTERVAL_MS);
    this.#beat.unref();
  }

  publish(status: Unstamped<WorkerBuildStatus>): void {
    this.#status = status;
    this.#write();
  }

  /** Ends the publishing; a failure stays readable, anything else is over. */
  close(): void {
    clearInterval(this.#beat);
    if (this.#status?.state !== 'failed') rmSync(this.#path, { force: true });
  }

  #write(): void {
    if (!this.#status) return;
    const unfinished = `${this.#path}.unfinished`;
    writeFileSync(unfinished, JSON.stringify({ ...this.#status, updated_at: Date.now() }));
    renameSync(unfinished, this.#path);
  }
}
