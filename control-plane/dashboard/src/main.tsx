import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Toaster } from 'sonner';
import './app.css';
import { createQueryClient } from './api/query-client.js';
import { router } from './app/router.js';
import { applyTheme } from './app/theme.js';
import { unsavedEdits } from './pages/agents/editor/unsaved-edits.js';

applyTheme();

const queries = createQueryClient(() => unsavedEdits.keep());

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <Toaster position="bottom-right" />
    </QueryClientProvider>
  </StrictMode>,
);
