import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  // The page lives below a random token: every address is relative.
  base: './',
  plugins: [react()],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0, // the content security policy allows no data: fonts
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
  },
  server: { host: '127.0.0.1' },
});
