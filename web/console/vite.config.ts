import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * `npm run build:console`: builds the page into files whose names are hashes. Nothing may be inlined in the HTML: its
 * content security policy forbids that.
 */
export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: {
    // Browsers of the last two years, which operators use.
    target: 'es2023',
    cssTarget: ['chrome125', 'firefox128', 'safari18'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
    emptyOutDir: true,
  },
});
