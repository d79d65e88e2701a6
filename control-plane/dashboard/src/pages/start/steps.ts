/** What a tenant has, as the checklist sees it. */
export interface Progress {
  /** Kinds of providers (`stt`, `llm`, `tts`) for which at least one is ready. */
  readonly readyKinds: ReadonlySet<string>;
  readonly agents: number;
  /** Whether a call was answered, in any way: by phone, or from the browser. */
  readonly hasTalked: boolean;
  readonly numbers: number;
  readonly isLive: boolean;
}

export type StepKey = 'providers' | 'agent' | 'talk' | 'number' | 'live';

export interface Step {
  readonly key: StepKey;
  readonly done: boolean;
}

/** The checklist, in the order in which it is worked through. */
export function stepsOf(progress: Progress): readonly Step[] {
  return [
    { key: 'providers', done: ['stt', 'llm', 'tts'].every((kind) => progress.readyKinds.has(kind)) },
    { key: 'agent', done: progress.agents > 0 },
    { key: 'talk', done: progress.hasTalked },
    { key: 'number', done: progress.numbers > 0 },
    { key: 'live', done: progress.isLive },
  ];
}

/** The step that is next; null when all is done. */
export const nextStep = (steps: readonly Step[]): StepKey | null =>
  steps.find(({ done }) => !done)?.key ?? null;
