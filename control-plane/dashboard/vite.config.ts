import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Takes out what writes a <style> into the page, which the Content-Security-Policy forbids: app.css imports sonner's
 * styles; wavesurfer's stay as text, which the page gives its shadow as a constructed sheet.
 */
const withoutInlineStyles: Plugin = {
  name: 'without-inline-styles',
  transform(code, id) {
    if (id.includes('/sonner/dist/')) return code.replace(/^__insertCSS\(".*"\);$/m, '');
    if (!id.includes('/wavesurfer.js/dist/')) return undefined;
    return code.replaceAll('<style', '<template').replaceAll('</style>', '</template>');
  },
};

export default defineConfig({
  root: here('.'),
  base: '/dashboard/',
  publicDir: false,
  plugins: [react(), tailwind(), withoutInlineStyles],
  resolve: {
    // It writes a <style> into the page, which the Content-Security-Policy forbids.
    alias: [{ find: 'react-remove-scroll', replacement: here('src/ui/scroll-lock.tsx') }],
  },
  build: {
    outDir: here('.build'),
    emptyOutDir: true,
    assetsDir: 'assets',
    // A file that is inlined as `data:` would break the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
    target: 'es2023',
  },
});
