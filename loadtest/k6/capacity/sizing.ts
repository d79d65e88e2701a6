/** One level of simultaneous calls on one worker, as it was measured. */
export interface Level {
  readonly calls: number;
  /** What the runtime adds to the response latency, in ms. */
  readonly added: { readonly p50: number; readonly p95: number; readonly p99: number };
  readonly bargeInP95: number;
  /** By how much k6 was late in the worst second, p95, in ms: above a frame's 20 ms the machine was starved. */
  readonly k6LateP95: number;
  readonly dropped: number;
  readonly unanswered: number;
  /** Cores, mean over the run, by part. */
  readonly cores: Readonly<Record<string, number>>;
  /** Resident memory of the worker at the end, in bytes. */
  readonly workerMemory: number;
}

/** What one call without media took of control plane and store. */
export interface DialCost {
  readonly calls: number;
  readonly controlPlaneMs: number;
  readonly storeMs: number;
}

export interface Sizing {
  /** Simultaneous calls up to which latency stays flat; undefined where every level did. */
  readonly knee: number | undefined;
  /** Of the worker, in ms of a core a second of one call. */
  readonly cpuPerCall: number;
  /** Of the worker, in bytes. */
  readonly memoryPerCall: number;
  readonly memoryBase: number;
}

/** Latency above it is one that people notice, in ms at p95. */
const NOTICEABLE_MS = 100;
/** Latency has left the flat part when it is so many times that of the smallest level. */
const TIMES_FLAT = 2;
/** Share of a core that may be planned with: bursts need the rest. */
export const PLANNED_SHARE = 0.6;

/** Finds the last level before latency leaves its flat part, and what a call costs. Levels ascend. Pure. */
export function sizingOf(levels: readonly Level[]): Sizing {
  const [first] = levels;
  const last = levels.at(-1);
  if (!first || !last) throw new Error('No level was measured.');
  const limit = Math.max(NOTICEABLE_MS, first.added.p95 * TIMES_FLAT);
  const beyond = levels.findIndex(({ added, dropped }) => added.p95 > limit || dropped > 0);
  const flat = beyond < 0 ? levels : levels.slice(0, Math.max(1, beyond));
  const top = flat.at(-1)!;
  const memoryPerCall =
    last.calls > first.calls
      ? Math.max(0, (last.workerMemory - first.workerMemory) / (last.calls - first.calls))
      : 0;
  return {
    knee: beyond < 0 ? undefined : top.calls,
    cpuPerCall: ((top.cores.worker ?? 0) / top.calls) * 1000,
    memoryPerCall,
    memoryBase: Math.max(0, first.workerMemory - first.calls * memoryPerCall),
  };
}

/** The load that a projection is for. */
export interface Projected {
  readonly factor: number;
  readonly calls: number;
  readonly callsPerSecond: number;
  readonly workerCores: number;
  readonly controlPlaneCores: number;
  readonly storeCores: number;
  readonly workerMemoryGb: number;
  /** Both directions, at the workers. */
  readonly networkMbit: number;
  readonly storageGbPerDay: number;
  readonly storeCommandsPerSecond: number;
  /** What gives first, and what to do. */
  readonly bottleneck: string;
}

/** Of a call, as it was measured elsewhere (docs/performance.md, "Control plane and store"). */
const COMMANDS_PER_CALL = 57;
/** Of a finished call: row, events, check, in bytes; without its recording. */
const STORED_BYTES = 19_000;
/** Of a media stream: 50 messages of about 350 bytes a second each way. */
const STREAM_BYTES_PER_SECOND = 2 * 50 * 350;
/** Of a call, in seconds, where none is given. */
export const MEAN_CALL_SECONDS = 120;
/** Connections that one network address can have to one vendor's address. */
const PORTS = 28_000;
const CONNECTIONS_PER_CALL = 3;

/** Computes what so many times the calls of one worker core need, and what gives first. Pure. */
export function project(factor: number, base: number, sizing: Sizing, dial: DialCost): Projected {
  const calls = base * factor;
  const callsPerSecond = calls / MEAN_CALL_SECONDS;
  const workerCores = (calls * sizing.cpuPerCall) / 1000 / PLANNED_SHARE;
  const controlPlaneCores = (callsPerSecond * dial.controlPlaneMs) / 1000 / PLANNED_SHARE;
  const storeCores = (callsPerSecond * dial.storeMs) / 1000 / PLANNED_SHARE;
  return {
    factor,
    calls,
    callsPerSecond,
    workerCores,
    controlPlaneCores,
    storeCores,
    workerMemoryGb: (Math.ceil(workerCores) * sizing.memoryBase + calls * sizing.memoryPerCall) / 1e9,
    networkMbit: (calls * STREAM_BYTES_PER_SECOND * 8) / 1e6,
    storageGbPerDay: (callsPerSecond * 86_400 * STORED_BYTES) / 1e9,
    storeCommandsPerSecond: callsPerSecond * COMMANDS_PER_CALL,
    bottleneck: bottleneckOf({ calls, workerCores, controlPlaneCores, storeCores }),
  };
}

/** Names the first limit that is passed, by what is single first: what can be added comes after. */
function bottleneckOf(needed: {
  readonly calls: number;
  readonly workerCores: number;
  readonly controlPlaneCores: number;
  readonly storeCores: number;
}): string {
  if (needed.storeCores > 1) {
    return `the embedded store, which is one process: ${needed.storeCores.toFixed(1)} cores of it are needed; use MongoDB (MONGODB_URI)`;
  }
  if (needed.calls * CONNECTIONS_PER_CALL > PORTS) {
    return 'connections to one vendor’s address from one network address; spread workers over several';
  }
  if (needed.controlPlaneCores > 1) {
    return `one control plane: ${needed.controlPlaneCores.toFixed(1)} cores are needed; add replicas`;
  }
  if (needed.workerCores > 1) {
    return `one worker: ${Math.ceil(needed.workerCores)} are needed, one a core; add workers`;
  }
  return 'none: one worker, one control plane and the embedded store suffice';
}
