/** Kinds of load, each a function of the scripts that k6 runs. */
export const PARTS = ['rest', 'campaigns', 'webhooks', 'sessions', 'media'] as const;
export type Part = (typeof PARTS)[number];

export const SCENARIOS = ['smoke', 'load', 'stress', 'spike', 'soak'] as const;
export type Scenario = (typeof SCENARIOS)[number];

/** How much of each part at full load: requests a second of `rest`, else how many at the same time. */
const FULL: Readonly<Record<Part, number>> = { rest: 60, campaigns: 2, webhooks: 3, sessions: 4, media: 20 };
const SMOKE: Readonly<Record<Part, number>> = { rest: 5, campaigns: 1, webhooks: 1, sessions: 1, media: 2 };

/** Share of the full load by share of the time, in straight lines. */
type Shape = readonly (readonly [until: number, share: number])[];

const SHAPES: Readonly<Record<Scenario, Shape>> = {
  smoke: [
    [0.05, 1],
    [1, 1],
  ],
  load: [
    [0.15, 1],
    [0.9, 1],
    [1, 0.1],
  ],
  // Up in steps, until something gives.
  stress: [
    [0.05, 0.5],
    [0.25, 0.5],
    [0.3, 1],
    [0.5, 1],
    [0.55, 2],
    [0.75, 2],
    [0.8, 4],
    [1, 4],
  ],
  // Ten times as much within moments, and back.
  spike: [
    [0.05, 0.2],
    [0.3, 0.2],
    [0.33, 2],
    [0.6, 2],
    [0.63, 0.2],
    [1, 0.2],
  ],
  soak: [
    [0.02, 0.5],
    [1, 0.5],
  ],
};
const SECONDS: Readonly<Record<Scenario, number>> = {
  smoke: 40,
  load: 180,
  stress: 240,
  spike: 180,
  soak: 3600,
};

/** What a scenario holds the system to: nothing beyond its limit, and no times where a run only shows that all works. */
const HELD: Readonly<Record<Scenario, 'times and failures' | 'failures' | 'nothing'>> = {
  smoke: 'failures',
  load: 'times and failures',
  stress: 'nothing',
  spike: 'nothing',
  soak: 'times and failures',
};

export interface PlanOptions {
  readonly scenario: Scenario;
  readonly parts: readonly Part[];
  /** Length of the run; default: the scenario's own. */
  readonly seconds?: number;
  /** Times the usual load. */
  readonly scale: number;
}

export interface LoadPlan {
  readonly seconds: number;
  /** When k6 interrupts what has not ended, in seconds from its start. */
  readonly endSeconds: number;
  /** The most of each part at the same time. */
  readonly peaks: Readonly<Partial<Record<Part, number>>>;
  /** As k6 takes them. */
  readonly k6Options: Readonly<Record<string, unknown>>;
}

/** How long calls have to end after the last second, in seconds. */
const GRACE_SECONDS = 30;

/** Plans what k6 is to do. Pure. */
export function planLoad({ scenario, parts, seconds = SECONDS[scenario], scale }: PlanOptions): LoadPlan {
  const full = scenario === 'smoke' ? SMOKE : FULL;
  const shape = SHAPES[scenario];
  const peak = Math.max(...shape.map(([, share]) => share));
  const amount = (part: Part, share: number) => Math.max(1, Math.round(full[part] * scale * share));
  const durations = shape.map(([until], n) =>
    Math.max(1, Math.round((until - (shape[n - 1]?.[0] ?? 0)) * seconds)),
  );
  const stagesOf = (part: Part) =>
    shape.map(([, share], n) => ({ duration: `${durations[n]}s`, target: amount(part, share) }));
  const scenarios = Object.fromEntries(parts.map((part) => [part, executorOf(part, stagesOf(part))]));
  return {
    seconds,
    endSeconds: durations.reduce((sum, duration) => sum + duration, GRACE_SECONDS),
    peaks: Object.fromEntries(parts.map((part) => [part, amount(part, peak)])),
    k6Options: {
      scenarios,
      thresholds: thresholdsOf(scenario, parts),
      noVUConnectionReuse: false,
      summaryTrendStats: ['avg', 'med', 'p(95)', 'p(99)', 'max'],
      // Kept short: each tag is another time series.
      systemTags: ['scenario', 'name', 'status'],
    },
  };
}

function thresholdsOf(
  scenario: Scenario,
  parts: readonly Part[],
): Readonly<Record<string, readonly string[]>> {
  const held = HELD[scenario];
  const all = held === 'nothing' ? [] : parts.flatMap((part) => Object.entries(THRESHOLDS[part]));
  return Object.fromEntries(
    all.filter(([metric]) => held === 'times and failures' || !metric.endsWith('_ms')),
  );
}

const EXEC: Readonly<Record<Part, string>> = {
  rest: 'rest',
  campaigns: 'campaign',
  webhooks: 'webhook',
  sessions: 'session',
  media: 'media',
};

/** Requests come at a rate, whatever the answers take; all else is people, who wait for theirs. */
function executorOf(part: Part, stages: readonly { duration: string; target: number }[]): object {
  const exec = EXEC[part];
  if (part !== 'rest') {
    const gracefulStop = `${GRACE_SECONDS}s`;
    return {
      executor: 'ramping-vus',
      exec,
      startVUs: 0,
      stages,
      gracefulStop,
      gracefulRampDown: gracefulStop,
    };
  }
  const most = Math.max(...stages.map(({ target }) => target));
  return {
    executor: 'ramping-arrival-rate',
    exec,
    startRate: 1,
    timeUnit: '1s',
    preAllocatedVUs: Math.min(200, Math.max(5, Math.ceil(most / 5))),
    maxVUs: Math.min(500, Math.max(20, most)),
    stages,
  };
}

const THRESHOLDS: Readonly<Record<Part, Readonly<Record<string, readonly string[]>>>> = {
  rest: {
    rest_failed: ['rate==0'],
    rest_ms: ['p(99)<100'],
    rest_read_ms: ['p(99)<100'],
    rest_write_ms: ['p(99)<250'],
  },
  campaigns: { campaign_failed: ['rate==0'], campaign_duration_ms: ['p(95)<60000'] },
  webhooks: { webhook_failed: ['rate==0'], webhook_delivery_ms: ['p(95)<2000'] },
  sessions: callThresholds('session'),
  media: callThresholds('media'),
};

function callThresholds(kind: string): Readonly<Record<string, readonly string[]>> {
  return {
    [`${kind}_added_ms`]: ['p(50)<60', 'p(95)<150'],
    [`${kind}_barge_in_ms`]: ['p(95)<300'],
    [`${kind}_dropped_calls`]: ['count==0'],
    [`${kind}_unanswered`]: ['count==0'],
    [`${kind}_ignored_barge_ins`]: ['count==0'],
    // Where k6 is late itself, the caller makes pauses that end a turn: a few are the machine's.
    [`${kind}_early_share`]: ['rate<0.02'],
  };
}
