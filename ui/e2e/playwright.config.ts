// Starts nothing by itself: CAMBIUM_URL is the page's address with its token.
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: '.',
  outputDir: './results',
  fullyParallel: false,
  workers: 1,
  timeout: process.env.CI ? 60_000 : 30_000,
  // Machines of CI are busy: what passes the second time is told as flaky.
  retries: process.env.CI ? 1 : 0,
  expect: { timeout: 8000 },
  reporter: 'line',
  use: {
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--enable-unsafe-swiftshader',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
