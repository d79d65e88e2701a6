import { clock, median, qualityText, seconds } from './figures.js';
import { endText } from './messages.js';
import { Transcript } from './transcript.js';

export const element = (id) => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
};

/** Title and hint of each phase; `live` has those of what the agent does. */
const STATUS = {
  ready: ['Ready', 'Press the button and speak. Headphones help.'],
  asking: ['Your microphone, please', 'Your browser asks whether this page may use it.'],
  connecting: ['Connecting …', ''],
  waiting: ['Waiting …', ''],
  reconnecting: ['Reconnecting …', 'The connection was interrupted. The call goes on.'],
  ended: ['The call is over', ''],
  failed: ['Not connected', ''],
};
const ACTIVITY = {
  listening: ['Listening', 'Speak whenever you like, also while the agent does.'],
  thinking: ['Thinking …', ''],
  speaking: ['Speaking', 'Just speak to interrupt.'],
};
const BUSY = ['asking', 'connecting', 'waiting', 'live', 'reconnecting'];
const GATE_PARTS = ['gate-sign-in', 'gate-no-agents'];

/** Only what changed: a status that is set again would be read out again. */
function setText(id, text) {
  const found = element(id);
  if (found.textContent !== text) found.textContent = text;
}

/** The page: shows what it is given. */
export class Screen {
  #main = document.querySelector('main');
  #orb = document.querySelector('.orb');
  #transcript = new Transcript(element('lines'));
  #phase = 'loading';
  #muted = false;

  get phase() {
    return this.#phase;
  }

  /** Whether there is something to hang up or to cancel. */
  get isBusy() {
    return BUSY.includes(this.#phase);
  }

  /** Shows no page to talk on, but why there is none yet. */
  gate(title, part) {
    this.#setPhase('gate');
    element('gate').hidden = false;
    element('stage').hidden = true;
    element('conversation').hidden = true;
    setText('gate-title', title);
    for (const id of GATE_PARTS) element(id).hidden = id !== part;
  }

  stage(conversation) {
    element('gate').hidden = true;
    element('stage').hidden = false;
    element('conversation').hidden = false;
    this.phaseIs('ready', conversation);
  }

  phaseIs(phase, conversation) {
    this.#setPhase(phase);
    const isCall = phase === 'live' || phase === 'reconnecting';
    element('talk').hidden = this.isBusy;
    element('talk').textContent = phase === 'ended' || phase === 'failed' ? 'Talk again' : 'Talk';
    element('mute').hidden = !isCall;
    element('hang-up').hidden = !this.isBusy;
    element('hang-up').textContent = isCall ? 'Hang up' : 'Cancel';
    element('hang-up').className = isCall ? 'danger' : 'quiet';
    element('agent').disabled = this.isBusy;
    if (isCall) element('figures').hidden = false;
    element('keys').hidden = !isCall;
    this.conversation(conversation);
  }

  conversation(conversation) {
    this.#transcript.show(conversation.lines, element('agent').selectedOptions[0]?.textContent ?? 'Agent');
    element('nothing-said').hidden = conversation.lines.length > 0;
    const middle = median(conversation.latencies);
    setText('median', middle === null ? '–' : seconds(middle));
    const activity = this.#phase === 'live' ? (conversation.activity ?? 'listening') : '';
    this.#main.dataset.activity = activity;
    const [title, hint] = activity === '' ? (STATUS[this.#phase] ?? STATUS.ready) : ACTIVITY[activity];
    if (activity !== '' && this.#muted) {
      setText('status', 'Muted');
      setText('hint', 'The agent does not hear you.');
      return;
    }
    setText('status', title);
    const isOver = this.#phase === 'ended' && conversation.ended;
    setText('hint', isOver ? endText(conversation.ended) : hint);
  }

  /** Null takes it away. */
  problem(problem, isWaiting = false) {
    element('problem').hidden = problem === null;
    element('problem').classList.toggle('waiting', isWaiting);
    if (!problem) return;
    setText('problem-title', problem.title);
    setText('problem-text', problem.text);
  }

  countdown(left) {
    setText('hint', `Tries again in ${left < 60 ? `${left} s` : clock(left * 1000)}.`);
  }

  muted(muted) {
    this.#muted = muted;
    element('mute').setAttribute('aria-pressed', String(muted));
    element('mute').textContent = muted ? 'Unmute' : 'Mute';
  }

  time(ms) {
    setText('time', clock(ms));
  }

  /** Null: not known yet. */
  quality(statistics) {
    setText('quality', statistics === null ? '–' : qualityText(statistics));
  }

  /** The agent's voice, 0..1. */
  level(level) {
    this.#orb.style.setProperty('--level', level.toFixed(3));
  }

  #setPhase(phase) {
    this.#phase = phase;
    this.#main.dataset.phase = phase;
  }
}
