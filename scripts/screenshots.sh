#!/usr/bin/env bash
# Pictures of the bundled sample, light and dark, for the documents: docs/screenshots/VIEW-THEME.png.
# VIEWS (default "ring") and SIZE (1440x900) can be set.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

CHROMIUM=$(find_chromium)
[ -n "$CHROMIUM" ] || die "no Chromium or Chrome was found: run \"make setup-test\""
export CHROMIUM VIEWS=${VIEWS:-ring} SIZE=${SIZE:-1440x900} OUT=$PWD/docs/screenshots
mkdir -p "$OUT"
start_cambium "$PWD/.cache/screenshots-server.log" --sample

cd ui # node finds Playwright from here
node --input-type=module <<'JS'
import { chromium } from '@playwright/test';
const { CAMBIUM_URL, CHROMIUM, VIEWS, SIZE, OUT } = process.env;
const [width, height] = SIZE.split('x').map(Number);
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--enable-unsafe-swiftshader'] });
try {
  for (const view of VIEWS.split(/[ ,]+/)) {
    for (const theme of ['light', 'dark']) {
      const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme });
      const address = new URL(CAMBIUM_URL);
      address.searchParams.set('view', view);
      address.searchParams.set('theme', theme);
      await page.goto(address.href);
      await page.getByTestId('chart').waitFor();
      await page.evaluate(() => document.fonts.ready);
      // Drawn is what does not change any more: two pictures in a row that are the same.
      let before = Buffer.alloc(0);
      for (let i = 0; i < 40; i++) {
        const now = await page.screenshot();
        if (i > 3 && now.equals(before)) break;
        before = now;
        await page.waitForTimeout(150);
      }
      await page.screenshot({ path: `${OUT}/${view}-${theme}.png` });
      console.log(`docs/screenshots/${view}-${theme}.png`);
      await page.close();
    }
  }
} finally {
  await browser.close();
}
JS
