import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `npm run build:console`: the page, in files whose names are hashes. Nothing of it may stand in the HTML: its policy forbids that. */
export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: {
    // Browsers of the last two years: nobody else operates agents.
    target: 'es2023',
    cssTarget: ['chrome125', 'firefox128', 'safari18'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
    emptyOutDir: true,
  },
});
