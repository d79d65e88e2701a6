import { Counter, Gauge, type Registry } from 'prom-client';
import type { CallStatistics } from '../call/call-statistics.js';
import type { SpeechCache } from '../conversation/speech-cache.js';

/** Adds what speculative answers and kept first words saved, and what providers were used for in vain. */
export function addCallMetrics(
  registry: Registry,
  statistics: Pick<CallStatistics, 'turns' | 'guesses' | 'wasted'>,
  speechCache: Pick<SpeechCache, 'hits' | 'misses' | 'bytes'>,
): void {
  const registers = [registry];
  new Counter({
    name: 'worker_first_words_total',
    help: 'First words that were prepared for a call: synthesized, or cached from a call before',
    labelNames: ['source'],
    registers,
    collect() {
      this.reset();
      this.inc({ source: 'cached' }, speechCache.hits);
      this.inc({ source: 'synthesized' }, speechCache.misses);
    },
  });
  new Gauge({
    name: 'worker_first_words_cache_bytes',
    help: 'Audio of first words that is kept in memory',
    registers,
    collect() {
      this.set(speechCache.bytes);
    },
  });
  new Counter({
    name: 'worker_caller_turns_total',
    help: 'Turns of callers that agents answered',
    registers,
    collect() {
      this.reset();
      this.inc(statistics.turns);
    },
  });
  new Counter({
    name: 'worker_speculative_answers_total',
    help: "Answers begun before the caller's turn was surely over: kept, or dropped",
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const outcome of ['kept', 'dropped'] as const) this.inc({ outcome }, statistics.guesses[outcome]);
    },
  });
  new Counter({
    name: 'worker_wasted_tokens_total',
    help: 'Tokens of language models in vain, by ended calls: for dropped guesses, lost races and cut speech',
    labelNames: ['provider', 'reason', 'direction'],
    registers,
    collect() {
      this.reset();
      for (const { provider, reason, inputTokens, outputTokens } of statistics.wasted()) {
        if (inputTokens > 0) this.inc({ provider, reason, direction: 'input' }, inputTokens);
        if (outputTokens > 0) this.inc({ provider, reason, direction: 'output' }, outputTokens);
      }
    },
  });
  new Counter({
    name: 'worker_wasted_characters_total',
    help: 'Characters that voices spoke in vain, by ended calls: for dropped guesses and cut speech',
    labelNames: ['provider', 'reason'],
    registers,
    collect() {
      this.reset();
      for (const { provider, reason, characters } of statistics.wasted()) {
        if (characters > 0) this.inc({ provider, reason }, characters);
      }
    },
  });
}
