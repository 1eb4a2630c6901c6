#!/usr/bin/env bash
# Pictures for the documents, light and dark: of the bundled sample docs/screenshots/VIEW-THEME.png, of a trace with
# linked charts docs/screenshots/workbench-THEME.png, of two profiles docs/screenshots/comparison-THEME.png,
# and of two traces docs/screenshots/traces-THEME.png, traces-focus-THEME.png and matches-THEME.png. VIEWS (default "ring"), TRACE and SIZE (1440x900) can be set.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

CHROMIUM=$(find_chromium)
[ -n "$CHROMIUM" ] || die "no Chromium or Chrome was found: run \"make setup-test\""
export CHROMIUM VIEWS=${VIEWS:-ring} SIZE=${SIZE:-1440x900} OUT=$PWD/docs/screenshots
TRACE=${TRACE:-$PWD/source/evolve/testdata/hello.evolve.txt.gz}
BEFORE=$PWD/viz/all/testdata/lua-quicksort.pb.gz AFTER=$PWD/viz/all/testdata/lua-heapsort.pb.gz
mkdir -p "$OUT"
TRACES=("$PWD/match/testdata/lua-quicksort.trace.json.gz" "$PWD/match/testdata/lua-heapsort.trace.json.gz")
start_cambium "$PWD/.cache/screenshots-server.log" --sample "$TRACE" "$BEFORE" "$AFTER" "${TRACES[@]}"

cd ui # node finds Playwright from here
node --input-type=module <<'JS'
import { chromium } from '@playwright/test';
const { CAMBIUM_URL, CHROMIUM, VIEWS, SIZE, OUT } = process.env;
const [width, height] = SIZE.split('x').map(Number);
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--enable-unsafe-swiftshader'] });
// Drawn is what does not change any more: two pictures in a row that are the same.
async function save(page, name) {
  await page.evaluate(() => document.fonts.ready);
  let before = Buffer.alloc(0);
  for (let i = 0; i < 40; i++) {
    const now = await page.screenshot();
    if (i > 3 && now.equals(before)) break;
    before = now;
    await page.waitForTimeout(150);
  }
  await page.screenshot({ path: `${OUT}/${name}.png` });
  console.log(`docs/screenshots/${name}.png`);
}

async function open(theme, query) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme });
  const address = new URL(CAMBIUM_URL);
  for (const [key, value] of Object.entries({ theme, ...query })) address.searchParams.set(key, value);
  await page.goto(address.href);
  return page;
}

async function add(page, view, panel) {
  await page.getByTestId('add-chart').click();
  await page.getByTestId(`add-${view}`).click();
  await page.locator(`[data-testid=panel-${panel}][data-final]`).waitFor();
}

/** Drags over a part of a chart, given in shares of it. */
async function drag(page, panel, [x0, y0, x1, y1]) {
  const box = await page.getByTestId(`plot-${panel}`).boundingBox();
  await page.mouse.move(box.x + box.width * x0, box.y + box.height * y0);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * x1, box.y + box.height * y1, { steps: 4 });
  await page.mouse.up();
  await page.getByTestId('selection-words').waitFor();
}

async function group(page, name) {
  await page.keyboard.press('g');
  await page.getByTestId('group-name-input').fill(name);
  await page.keyboard.press('Enter');
}

try {
  for (const theme of ['light', 'dark']) {
    for (const view of VIEWS.split(/[ ,]+/)) {
      const page = await open(theme, { ds: 'd1', view });
      await page.getByTestId('chart').waitFor();
      await save(page, `${view}-${theme}`);
      await page.close();
    }
    const page = await open(theme, { ds: 'd2' });
    await page.locator('[data-testid=panel-2][data-final]').waitFor();
    await add(page, 'table', 3);
    await add(page, 'prediction', 4);
    await drag(page, 2, [0.4, 0.15, 0.95, 0.19]);
    await group(page, 'at the beginning');
    await drag(page, 2, [0.62, 0.3, 0.98, 0.5]);
    await group(page, 'writing classes');
    await page.locator('[data-testid=panel-1][data-final]').waitFor();
    await page.getByTestId('data-set-menu').hover();
    await save(page, `workbench-${theme}`);
    await page.close();

    const two = await open(theme, { ds: 'd4' });
    await two.getByTestId('chart').waitFor();
    await two.getByTestId('compare-menu').click();
    await two.getByRole('menuitem', { name: 'lua-quicksort.pb.gz' }).click();
    await two.getByTestId('compare-bar').waitFor();
    // What was changed is the sort: below it, one way of it is gone, and another one is new.
    await two.getByTestId('search-input').fill('/^sort$/');
    await two.locator('.results button').first().click();
    await two.getByTestId('make-root').click();
    await two.getByTestId('search-input').fill('');
    await two.getByRole('button', { name: 'Unpin' }).click();
    await two.getByTestId('tree-table-2').waitFor();
    await save(two, `comparison-${theme}`);
    await two.close();

    const traces = await open(theme, { ds: 'd6' });
    await traces.getByTestId('chart').waitFor();
    await traces.getByTestId('compare-menu').click();
    await traces.getByRole('menuitem', { name: 'lua-quicksort.trace.json.gz' }).click();
    await traces.locator('[data-testid=panel-3][data-final]').waitFor();
    await traces.getByTestId('table-2').getByRole('row').nth(1).click();
    await traces.getByTestId('focus-1').waitFor();
    await save(traces, `traces-focus-${theme}`);
    await traces.getByTestId('undo').click();
    await traces.getByTestId('close-3').click();
    await save(traces, `traces-${theme}`);
    // Alone, in the colours of where matches lie in the other trace.
    const work = JSON.stringify({ p: [{ i: '1', v: 'matches', p: { color: 'position' } }] }).replaceAll('"', '~');
    const search = new URLSearchParams({ ds: new URL(traces.url()).searchParams.get('ds'), theme, w: work });
    await traces.goto(Object.assign(new URL(traces.url()), { search }).href);
    await traces.locator('[data-testid=panel-1][data-final]').waitFor();
    await traces.locator('[data-testid=matches-1]').waitFor();
    await save(traces, `matches-${theme}`);
    await traces.close();
  }
} finally {
  await browser.close();
}
JS
