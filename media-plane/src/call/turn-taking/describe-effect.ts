import type { Effect } from './effects.js';

/** Describes one effect in one line, for people. */
export function describeEffect(effect: Effect): string {
  switch (effect.type) {
    case 'generate':
      return `generate ${effect.turn}${effect.speculative ? ' speculative' : ''} "${effect.basis}"`;
    case 'say':
      return `say ${effect.turn}${effect.uninterruptible ? ' uninterruptible' : ''} "${effect.text}"`;
    case 'abort':
      return `abort ${effect.turn} ${effect.reason}`;
    case 'commit':
    case 'play':
    case 'pause':
    case 'clear':
      return `${effect.type} ${effect.turn}`;
    case 'resume':
      return `resume ${effect.turn} from ${effect.fromMs}`;
    case 'truncate':
      return `truncate ${effect.turn} at ${effect.heardMs}`;
    case 'remember': {
      const { role, heard_text, text, interrupted } = effect.entry;
      return `remember ${role} "${interrupted ? heard_text : text}"${interrupted ? ' interrupted' : ''}`;
    }
    case 'run_tool':
    case 'cancel_tool':
      return `${effect.type} ${effect.call.name} of ${effect.turn}`;
    case 'hand_over':
      return 'hand_over';
    case 'set_timer':
      return `set_timer ${effect.name} at ${effect.at}`;
    case 'cancel_timer':
      return `cancel_timer ${effect.name}`;
    case 'hang_up':
      return `hang_up ${effect.reason}${effect.errorCode ? ` (${effect.errorCode})` : ''}`;
    case 'notice':
      return `notice ${effect.code}: ${effect.message}`;
    case 'report':
      return `report ${effect.metric.name} ${effect.metric.turn}`;
  }
}
