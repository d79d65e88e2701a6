import { Counter, Gauge, type Registry } from 'prom-client';
import type { BreakerOutcome, BreakerPhase } from '../providers/resilience/circuit-breaker.js';
import type { CircuitBreakers } from '../providers/resilience/circuit-breakers.js';

const PHASE_VALUES: Readonly<Record<BreakerPhase, number>> = { closed: 0, half_open: 0.5, open: 1 };
const OUTCOMES: readonly BreakerOutcome[] = ['ok', 'slow', 'failed'];

/** Adds what the worker's calls learnt of its providers, by the platform's accounts. */
export function addProviderMetrics(registry: Registry, breakers: Pick<CircuitBreakers, 'list'>): void {
  const registers = [registry];
  new Gauge({
    name: 'worker_provider_circuit_open',
    help: '1 while calls with a fallback leave the provider alone, 0.5 while one tries it again',
    labelNames: ['kind', 'provider'],
    registers,
    collect() {
      for (const { kind, provider, phase } of breakers.list()) {
        this.set({ kind, provider }, PHASE_VALUES[phase]);
      }
    },
  });
  new Counter({
    name: 'worker_provider_results_total',
    help: 'Answers, voices and recogniser sessions by how they began: ok, slow or failed',
    labelNames: ['kind', 'provider', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const { kind, provider, results } of breakers.list()) {
        for (const outcome of OUTCOMES) this.inc({ kind, provider, outcome }, results[outcome]);
      }
    },
  });
  new Counter({
    name: 'worker_provider_circuit_opened_total',
    help: 'How often calls with a fallback began to leave the provider alone',
    labelNames: ['kind', 'provider'],
    registers,
    collect() {
      this.reset();
      for (const { kind, provider, opened } of breakers.list()) this.inc({ kind, provider }, opened);
    },
  });
}
