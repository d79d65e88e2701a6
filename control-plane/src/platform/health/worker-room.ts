/** Whether calls find a place now; `/readyz` says so. */
export interface WorkerRoom {
  /** Workers that report and take calls. */
  readonly reporting: number;
  readonly with_room: number;
  /** Calls that they can take together. */
  readonly free_places: number;
}
