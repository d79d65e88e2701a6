import { Counter, type Registry } from 'prom-client';

/** What operators watch of the archive. */
export class ArchiveMetrics {
  readonly #archived: Counter;
  readonly #bytes: Counter;
  readonly #reads: Counter<'from'>;
  readonly #failures: Counter<'operation'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#archived = new Counter({
      name: 'calls_archived_total',
      help: 'Calls that were moved to the object storage.',
      registers,
    });
    this.#bytes = new Counter({
      name: 'call_archive_bytes_total',
      help: 'Bytes of archives written to the object storage.',
      registers,
    });
    this.#reads = new Counter({
      name: 'call_archive_reads_total',
      help: 'Reads of archived calls, from memory or from the object storage.',
      labelNames: ['from'],
      registers,
    });
    this.#failures = new Counter({
      name: 'call_archive_failures_total',
      help: 'Archives that could not be read or written.',
      labelNames: ['operation'],
      registers,
    });
  }

  archived(): void {
    this.#archived.inc();
  }

  written(bytes: number): void {
    this.#bytes.inc(bytes);
  }

  read(from: 'cache' | 'storage'): void {
    this.#reads.inc({ from });
  }

  failed(operation: 'read' | 'write'): void {
    this.#failures.inc({ operation });
  }
}
