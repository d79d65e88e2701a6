import { describe, expect, it } from 'vitest';
import { refusalOf } from './roles.js';

const least_roles = { listCalls: 'viewer', whisper: 'operator', updateMember: 'owner' } as const;

describe('what a role may not do', () => {
  it('is nothing that the same or a lower role may do', () => {
    expect(refusalOf({ role: 'viewer', least_roles }, 'listCalls')).toBeNull();
    expect(refusalOf({ role: 'developer', least_roles }, 'whisper')).toBeNull();
    expect(refusalOf({ role: 'owner', least_roles }, 'updateMember')).toBeNull();
  });

  it('is said with the role that it needs', () => {
    expect(refusalOf({ role: 'viewer', least_roles }, 'whisper')).toBe(
      'This needs the role Operator or a higher one; yours is Viewer. Ask an owner to change it.',
    );
    expect(refusalOf({ role: 'developer', least_roles }, 'updateMember')).toMatch(/the role Owner; yours is/);
  });

  it('is whatever the service does not know, unless one is an owner', () => {
    expect(refusalOf({ role: 'developer', least_roles }, 'somethingNew')).toMatch(/Owner/);
    expect(refusalOf({ role: 'owner', least_roles }, 'somethingNew')).toBeNull();
  });
});
