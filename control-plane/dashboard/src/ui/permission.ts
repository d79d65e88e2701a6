import { createContext, useContext } from 'react';
import type { Operation } from '../api/roles.js';

/** Says why who is signed in may not do something; null where they may. */
export type Permission = (operation: Operation) => string | null;

export const PermissionContext = createContext<Permission>(() => null);

/** What who is signed in may not do, and why. */
export const usePermission = (): Permission => useContext(PermissionContext);
