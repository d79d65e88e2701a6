import { demoAgent } from '@voice/shared/contracts/demo-agent';
import type { Express } from 'express';
import { servePage } from '../../platform/http/static-page.js';

/** `/talk`: one page to talk to an agent on, over WebRTC. Signs in as the dashboard does. */
export function talkPage(app: Express): void {
  servePage(app, {
    path: '/talk',
    folder: 'talk',
    files: [
      'talk.css',
      'stage.css',
      'conversation.css',
      'talk.js',
      'api.js',
      'controls.js',
      'conversation.js',
      'entry.js',
      'figures.js',
      'level.js',
      'messages.js',
      'screen.js',
      'session.js',
      'transcript.js',
    ],
    json: { 'demo-agent.json': demoAgent },
    permissions: 'microphone=(self), camera=()',
  });
}
