import { ApiError } from './api.js';
import { keyAction } from './controls.js';
import { endsCall, newConversation, withEvent } from './conversation.js';
import { createDemoAgent, enter } from './entry.js';
import { followLevel } from './level.js';
import { CONNECTION_LOST, environmentProblem, microphoneProblem, refusal } from './messages.js';
import { element, Screen } from './screen.js';
import { TalkSession } from './session.js';

const screen = new Screen();
/** The agent's voice; its words are in the transcript. */
const voice = new Audio();

let conversation = newConversation();
let session = null;
let microphone = null;
let muted = false;
/** Monotonic ms; null before the call is connected. */
let liveSince = null;
let audioContext = null;
let stopLevel = () => {};
let ticking = null;
/** What is under way and may be cancelled: asking for the microphone, or counting down. */
let pending = null;

const setPhase = (phase) => screen.phaseIs(phase, conversation);

async function talk() {
  const agentId = element('agent').value;
  endQuietly();
  conversation = newConversation();
  liveSince = null;
  setMuted(false);
  screen.problem(null);
  screen.time(0);
  screen.quality(null);
  const unable = environmentProblem({
    isSecureContext,
    hasMediaDevices: Boolean(navigator.mediaDevices?.getUserMedia),
    hasPeerConnection: 'RTCPeerConnection' in window,
  });
  if (unable) return fail(unable);
  // Within the press of the button, else browsers keep it silent.
  audioContext ??= new AudioContext();
  void audioContext.resume();
  setPhase('asking');
  const stream = await askForMicrophone();
  if (!stream) return;
  microphone = stream;
  // Pulled out during the call.
  stream.getAudioTracks()[0].addEventListener('ended', () => {
    if (microphone === stream) fail(microphoneProblem('NotFoundError'));
  });
  await connect(agentId);
}

/** Null: refused, or cancelled meanwhile. */
async function askForMicrophone() {
  const attempt = {};
  pending = attempt;
  let stream = null;
  try {
    const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
    stream = await navigator.mediaDevices.getUserMedia({ audio });
  } catch (error) {
    if (pending === attempt) fail(microphoneProblem(error.name));
    return null;
  }
  if (pending === attempt) {
    pending = null;
    return stream;
  }
  for (const track of stream.getTracks()) track.stop();
  return null;
}

async function connect(agentId) {
  const isMine = () => session === mine;
  const mine = new TalkSession(microphone, {
    onState: (state) => isMine() && onState(state),
    onVoice: (stream) => isMine() && onVoice(stream),
    onEvent: (event) => isMine() && onEvent(event),
    onStatistics: (figures) => isMine() && screen.quality(figures),
    onLost: () => isMine() && fail(CONNECTION_LOST),
  });
  session = mine;
  try {
    await mine.start(agentId);
  } catch (error) {
    if (!isMine()) return;
    if (error instanceof ApiError) onRefusal(refusal(error), agentId);
    else fail({ title: 'The connection could not be made', text: `${error.message} Try again.` });
  }
}

function onState(state) {
  if (state === 'live') {
    screen.problem(null);
    liveSince ??= performance.now();
    ticking ??= setInterval(() => screen.time(performance.now() - liveSince), 250);
  }
  setPhase(state);
}

function onVoice(stream) {
  voice.srcObject = stream;
  // Allowed after the press of the button; where it is not, the transcript goes on all the same.
  voice.play().catch(() => {});
  stopLevel();
  stopLevel = followLevel(audioContext, stream, (level) => screen.level(level));
}

function onEvent(event) {
  conversation = withEvent(conversation, event);
  if (!endsCall(event)) {
    screen.conversation(conversation);
    return;
  }
  endQuietly();
  setPhase('ended');
}

function onRefusal(refused, agentId) {
  switch (refused.kind) {
    case 'signed_out':
      endQuietly();
      screen.gate(refused.expired ? 'Your session is over' : 'Sign in', 'gate-sign-in');
      break;
    case 'wait':
      waitAndConnect(refused, agentId);
      break;
    case 'problem':
      fail(refused.problem);
      break;
  }
}

/** Counts down, then tries again with the microphone that is open already. */
function waitAndConnect({ seconds, title, text }, agentId) {
  const until = performance.now() + seconds * 1000;
  const attempt = {};
  pending = attempt;
  setPhase('waiting');
  screen.problem({ title, text }, true);
  const tick = () => {
    if (pending !== attempt) return;
    const left = Math.ceil((until - performance.now()) / 1000);
    if (left > 0) {
      screen.countdown(left);
      setTimeout(tick, 250);
      return;
    }
    pending = null;
    screen.problem(null);
    void connect(agentId);
  };
  tick();
}

function setMuted(value) {
  muted = value;
  session?.mute(value);
  screen.muted(value);
  screen.conversation(conversation);
}

function hangUp() {
  if (!screen.isBusy) return;
  if (liveSince === null) {
    endQuietly();
    screen.problem(null);
    setPhase('ready');
  } else {
    pending = null;
    session?.hangUp();
    stopVoice();
    const durationMs = performance.now() - liveSince;
    conversation = { ...conversation, activity: null, ended: { reason: 'caller_hangup', durationMs } };
    setPhase('ended');
  }
  element('talk').focus();
}

/** Ends what is there on this side, and says nothing. */
function endQuietly() {
  pending = null;
  session?.close();
  session = null;
  for (const track of microphone?.getTracks() ?? []) track.stop();
  microphone = null;
  stopVoice();
}

function stopVoice() {
  clearInterval(ticking);
  ticking = null;
  stopLevel();
  stopLevel = () => {};
  voice.srcObject = null;
}

function fail(problem) {
  endQuietly();
  screen.problem(problem);
  setPhase('failed');
  element('talk').focus();
}

function onKey(event) {
  if (!screen.isBusy) return;
  const { target } = event;
  const isButton = target instanceof HTMLButtonElement;
  const action = keyAction({
    key: event.key,
    repeat: event.repeat,
    withModifier: event.ctrlKey || event.metaKey || event.altKey,
    target: target instanceof HTMLSelectElement ? 'select' : isButton ? 'button' : 'other',
  });
  if (action === null) return;
  event.preventDefault();
  if (action === 'hang_up') hangUp();
  else if (!element('mute').hidden) setMuted(!muted);
}

const onReady = () => {
  screen.stage(conversation);
  element('talk').focus();
};
const comeIn = () => {
  if (!session) void enter(screen, onReady);
};
element('create-demo').addEventListener('click', () => void createDemoAgent(screen, onReady));
element('talk').addEventListener('click', () => void talk());
element('mute').addEventListener('click', () => setMuted(!muted));
element('hang-up').addEventListener('click', hangUp);
addEventListener('keydown', onKey);
addEventListener('hashchange', comeIn);
addEventListener('pagehide', () => session?.close());
comeIn();
