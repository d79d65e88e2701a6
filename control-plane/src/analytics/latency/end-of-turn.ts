import { findProvider, modelOf } from '@voice/shared/catalogue/providers';
import type { ProviderChoice, TurnTakingSettings, VoiceConfig } from '@voice/shared/contracts/agent';
import { type Figure, finalTextFigure, type HeldTurn, ownMedian, unknownFigure } from './stage-figures.js';

/**
 * What Smart Turn took off the pause: 55 of the 150 ms between the two minima, in the median of all trials of
 * `npm run bench:turns`, whose voices differ much.
 */
const SEMANTIC_SHARE = 55 / 150;
/** What its judgement took there, p50, in ms. */
const JUDGEMENT_MS = 70;

/** By what the end of the caller's turn is found, and when. */
export interface EndOfTurn {
  readonly pause: Figure;
  /** When the recogniser's final text comes; null where none is waited for. */
  readonly finalText: Figure | null;
}

/** Returns when a turn is over whose words sound finished, in ms from the end of the caller's speech. Pure. */
export function endOfTurn(
  voice: VoiceConfig,
  settings: TurnTakingSettings,
  held: readonly HeldTurn[],
): EndOfTurn {
  if ('realtime' in voice) {
    const isProviders = settings.turn_detection === 'provider';
    const pause = isProviders ? providersPause(voice.realtime, settings, held) : servicePause(settings);
    return { pause, finalText: null };
  }
  const finalText = finalTextFigure(voice.stt, held);
  const entry = findProvider('stt', voice.stt.provider);
  const decides = entry && modelOf(entry, voice.stt.model)?.capabilities.includes('decides_turns');
  // Its final text is its end of the turn; the settings beside the longest pause do not move it.
  if (decides) return { pause: atMost(finalText, settings), finalText: null };
  return { pause: servicePause(settings, settings.semantic_end_of_turn === 'on'), finalText };
}

function servicePause(settings: TurnTakingSettings, semantic = false): Figure {
  const {
    min_endpointing_ms: set,
    confident_endpointing_ms: confident,
    vad_min_silence_ms: silence,
  } = settings;
  const shortest = Math.min(confident, set);
  const judged = Math.max(set - SEMANTIC_SHARE * (set - shortest), silence + JUDGEMENT_MS);
  const ms = semantic ? Math.min(judged, Math.max(set, silence)) : Math.max(set, silence);
  const figure: Figure = semantic
    ? {
        ms,
        source: 'platform',
        basis:
          'min_endpointing_ms, less what the semantic end of turn took off in our trials ' +
          '(docs/performance.md#semantic-end-of-turn); one turn in ten waits up to 0.8 s longer.',
      }
    : {
        ms,
        source: 'settings',
        basis:
          set < silence
            ? 'vad_min_silence_ms: an end of speech is known no sooner.'
            : 'min_endpointing_ms, where the words sound finished.',
      };
  return atMost(figure, settings);
}

function providersPause(
  { provider, params }: ProviderChoice,
  settings: TurnTakingSettings,
  held: readonly HeldTurn[],
): Figure {
  const own = held.flatMap(({ settings: then, endOfTurnMs }) =>
    then.turn_detection === 'provider' ? (endOfTurnMs ?? []) : [],
  );
  const measured = ownMedian(own, ' whose end the provider found');
  if (measured) return atMost(measured, settings);
  const ms = findProvider('realtime', provider)?.turnSilenceMs?.(params) ?? null;
  if (ms === null)
    return unknownFigure(`${provider} does not say after which silence its turn detection ends a turn.`);
  const basis = `The silence of ${provider}'s turn detection, without the network.`;
  return atMost({ ms, source: 'vendor', basis }, settings);
}

function atMost(figure: Figure, { max_endpointing_ms: most }: TurnTakingSettings): Figure {
  return figure.ms === null || figure.ms <= most
    ? figure
    : { ms: most, source: 'settings', basis: 'max_endpointing_ms, the longest pause.' };
}
