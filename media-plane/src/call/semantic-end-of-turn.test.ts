import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { TurnTakingSettings } from '@voice/shared/contracts/agent';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { type Log, silentLog } from '@voice/shared/log/log';
import { describe, expect, it } from 'vitest';
import { createConversation } from '../create-conversation.js';
import type { EndOfTurnDetector } from '../providers/end-of-turn/port.js';
import { createProviders } from '../providers/registry/registry.js';
import { CircuitBreakers } from '../providers/resilience/circuit-breakers.js';
import { DEFAULT_ANSWER_LIMITS } from '../providers/resilience/limits.js';
import { testCallPlan } from '../testing/call-plan.js';
import { ScriptedRecogniser } from '../testing/scripted-providers.js';
import { CascadedStage } from './testing/cascaded-stage.js';

/** A detector whose answers are the test's. */
function scriptedDetector() {
  const seen = { opened: 0, closed: 0, frames: 0, starts: 0 };
  const questions: ((probability: number) => void)[] = [];
  const detector: EndOfTurnDetector = {
    open: () => {
      seen.opened++;
      return {
        write: () => {
          seen.frames++;
        },
        speechStarted: () => {
          seen.starts++;
        },
        judge: (onJudged) => questions.push(onJudged),
        close: () => {
          seen.closed++;
        },
      };
    },
    close: async () => {},
  };
  return { detector, seen, questions };
}

function stage(semantic: TurnTakingSettings['semantic_end_of_turn']) {
  const scripted = scriptedDetector();
  const call = new CascadedStage({
    answers: ['Certainly.'],
    endOfTurn: scripted.detector,
    turnTaking: { semantic_end_of_turn: semantic, preemptive_generation: 'off' as const },
  });
  return { ...scripted, call };
}

describe('a call of an agent with a semantic end of turn', () => {
  it('asks when the caller stops, and waits longer when their speech sounds as if it went on', async () => {
    const { call, questions, seen } = stage('on');
    await call.pass(200);
    await call.callerSpeaks();
    expect([questions.length, seen.starts, seen.frames]).toEqual([1, 1, 50]);
    await call.pass(100);
    call.recogniser.transcribes('I need a table');
    questions[0]!(0);
    await call.pass(1000);
    expect(call.model.requests).toHaveLength(0);
    await call.pass(200);
    expect(call.model.requests).toHaveLength(1);
  });

  it('ends the turn by words and pause when the answer never comes', async () => {
    const { call, questions } = stage('on');
    await call.pass(200);
    await call.callerSays('I need a table');
    await call.pass(400);
    expect(call.model.requests).toHaveLength(1);
    questions[0]!(0);
    await call.pass(3000);
    expect(call.turns()).toEqual(['caller: I need a table', 'agent: Certainly.']);
  });

  it('releases what it holds when it ends', async () => {
    const { call, seen } = stage('on');
    await call.pass(200);
    expect([seen.opened, seen.closed]).toEqual([1, 0]);
    call.call.end('operator_hangup');
    await call.pass(1200);
    expect(seen.closed).toBe(1);
  });

  it('opens nothing where the agent has it off, as by default', async () => {
    const { call, seen } = stage('off');
    await call.pass(200);
    await call.callerSays('I need a table');
    expect(seen).toEqual({ opened: 0, closed: 0, frames: 0, starts: 0 });
  });
});

describe('a worker without the end-of-turn model', () => {
  function create(semantic: TurnTakingSettings['semantic_end_of_turn']) {
    const clock = new ScriptedClock();
    const notices: string[] = [];
    const warnings: string[] = [];
    const log: Log = { ...silentLog, warn: (_, message) => warnings.push(message) };
    const plan = testCallPlan();
    createConversation(
      {
        ...plan,
        agent: {
          ...plan.agent,
          turn_taking: { ...plan.agent.turn_taking, semantic_end_of_turn: semantic },
        },
      },
      {
        providers: createProviders({ clock, log: silentLog, egress: createAddressPolicy([]) }),
        detector: new ScriptedRecogniser().detector,
        endOfTurn: undefined,
        clock,
        log,
        tools: [],
        breakers: new CircuitBreakers(clock, () => {}),
        answerLimits: DEFAULT_ANSWER_LIMITS,
        notice: (code) => notices.push(code),
      },
    ).close();
    return { notices, warnings };
  }

  it('takes the call and says in log and timeline what is missing and how to get it', () => {
    const { notices, warnings } = create('on');
    expect(notices).toEqual(['end_of_turn_model_missing']);
    expect(warnings).toEqual([expect.stringMatching(/words and pauses alone.*npm run models/)]);
  });

  it('says nothing where the agent does not ask for it', () => {
    expect(create('off')).toEqual({ notices: [], warnings: [] });
  });
});
