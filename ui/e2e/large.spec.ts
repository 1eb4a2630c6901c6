// Very many events and rows, which a server of its own reads from a program. Passes that take long: progress, a picture of
// what there is so far, stopping, and going on; the server is held by signals, so that each moment of a pass can be looked
// at however fast the machine is.
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test, type Page } from '@playwright/test';
import { shown } from './trace';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const EVENTS = 6_000_000;
const ITEMS = 500_000;

let server: ChildProcess;
let url = '';

test.beforeAll(async () => {
  server = spawn(here('../../cambium'), ['open', '--no-browser', '--port', '0', '--exec', `node ${here('./manyEvents.mjs')} ${EVENTS} ${ITEMS}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  url = await new Promise((found, lost) => {
    let out = '';
    server.stdout?.on('data', (text: Buffer) => {
      out += text.toString();
      const address = /cambium: (http:\/\/\S+)/.exec(out)?.[1];
      if (address) found(address);
    });
    server.once('exit', () => lost(new Error(`the server ended: ${out}`)));
  });
});

test.afterAll(() => {
  server.kill('SIGCONT');
  server.kill();
});

/** A filter that holds for what costs more, with so much more to compare that a pass takes seconds. */
const slow = (cost: number) => Array.from({ length: 150 }, (_, i) => `cost < ${1000 + i}`).join(' and ') + ` and cost > ${cost}`;

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Applies the filter written, lets the server work for moments at a time, and leaves it held when something is seen. */
async function applyAndHoldWhen(page: Page, seen: () => Promise<boolean>): Promise<void> {
  server.kill('SIGSTOP');
  await page.getByTestId('filter-apply').click();
  for (let i = 0; i < 400; i++) {
    server.kill('SIGCONT');
    await pause(8);
    server.kill('SIGSTOP');
    await pause(60);
    if (await seen()) return;
  }
  server.kill('SIGCONT');
  throw new Error('it was not seen');
}

const goOn = () => server.kill('SIGCONT');

async function open(page: Page): Promise<void> {
  await page.goto(url);
  await expect(page.getByTestId('chart')).toBeVisible({ timeout: 100_000 });
}

const total = (page: Page) => page.evaluate(() => window.__cambium?.sectors.rootTotal ?? 0);

async function filter(page: Page, button: string, text: string): Promise<void> {
  await page.getByTestId(button).click();
  await page.getByTestId('filter-text').fill(text);
  await expect(page.getByTestId('filter-apply')).toBeEnabled();
}

test('the pass of charts shows how far it is and what there is, is stopped, and goes on', async ({ page }) => {
  test.setTimeout(180_000);
  await open(page);
  await page.getByTestId('add-chart').first().click();
  await page.getByTestId('add-bar').click();
  await expect(page.locator('[data-testid=panel-2][data-final]')).toBeVisible({ timeout: 60_000 });
  const before = (await shown(page, '2')).across?.max ?? 0;
  await filter(page, 'add-filter', slow(1));
  const foot = page.getByTestId('foot-2');
  await applyAndHoldWhen(page, async () => (await foot.innerText()).includes('what there is so far'));
  await expect(page.getByTestId('pass')).toContainText(/% of 6,000,000 events/);
  const coarse = (await shown(page, '2')).across?.max ?? 0;
  expect(coarse).toBeGreaterThan(0);
  await page.getByTestId('cancel-pass').click();
  goOn();
  await expect(page.getByTestId('pass-stopped')).toBeVisible();
  await expect(foot).toContainText('not all events: the pass was stopped');
  expect((await shown(page, '2')).across?.max).toBe(coarse);
  await page.getByTestId('pass-stopped').getByRole('button', { name: 'Go on' }).click();
  await expect(page.locator('[data-testid=panel-2][data-final]')).toBeVisible({ timeout: 60_000 });
  await expect(page.getByTestId('pass-stopped')).toHaveCount(0);
  const after = (await shown(page, '2')).across?.max ?? 0;
  expect(after).toBeGreaterThan(coarse);
  expect(after).toBeLessThanOrEqual(before);
});

test('the tree of a filter shows how far it is, is stopped, and goes on', async ({ page }) => {
  test.setTimeout(180_000);
  await open(page);
  const all = await total(page);
  await filter(page, 'add-filter-step', slow(2));
  await applyAndHoldWhen(page, async () => page.getByTestId('tree-pass').isVisible());
  await expect(page.getByTestId('tree-pass')).toContainText(/Filtering: .*% of 6,000,000 events/);
  await page.getByTestId('cancel-tree').click();
  goOn();
  await expect(page.getByTestId('tree-stopped')).toContainText('this is what was shown before');
  expect(await total(page)).toBe(all);
  await page.getByTestId('tree-stopped').getByRole('button', { name: 'Go on' }).click();
  await expect(page.getByTestId('tree-stopped')).toHaveCount(0);
  await expect.poll(() => total(page), { timeout: 60_000 }).toBeLessThan(all);
});

async function itemTable(page: Page): Promise<void> {
  await open(page);
  await page.getByTestId('add-chart').first().click();
  await page.getByTestId('add-table').click();
  await page.getByTestId('configure-2').click();
  await page.getByTestId('form-subject').click();
  await page.getByRole('option', { name: /^Touch/ }).click();
  await expect(page.getByTestId('table-2')).toHaveAttribute('aria-rowcount', String(ITEMS + 1), { timeout: 60_000 });
  await page.keyboard.press('Escape');
}

test('the wheel moves a table of very many rows by as much as any other', async ({ page }) => {
  test.setTimeout(120_000);
  await itemTable(page);
  const table = page.getByTestId('table-2');
  const first = async () => Number(await table.getByRole('row').nth(1).getAttribute('aria-rowindex')) - 2;
  expect(await table.evaluate((e) => e.scrollHeight)).toBeLessThan(ITEMS * 24);
  await table.hover();
  await page.mouse.wheel(0, 240);
  await expect.poll(first).toBe(10);
  await page.mouse.wheel(0, 24);
  await expect.poll(first).toBe(11);
  await page.mouse.wheel(0, -48);
  await expect.poll(first).toBe(9);
  await expect(table.getByRole('row').nth(1)).toContainText('1');
  // The keys and the bar reach the end.
  await table.focus();
  await page.keyboard.press('End');
  await expect(page.locator(`#\\32 -row-${ITEMS - 1}`)).toBeVisible();
  await table.evaluate((e) => e.scrollTo(0, e.scrollHeight / 2));
  await expect.poll(first).toBeGreaterThan(ITEMS / 2 - 1000);
});

test('a selection of any size can be filtered to and excluded, and outlives a reload', async ({ page }) => {
  test.setTimeout(120_000);
  await itemTable(page);
  const table = page.getByTestId('table-2');
  const rowCount = () => table.getAttribute('aria-rowcount');
  await table.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+End');
  await page.keyboard.press('Space');
  await expect(page.getByTestId('selection-words')).toHaveText('499,999 Items', { timeout: 20_000 });
  await expect(page.getByTestId('selection-kept')).toContainText('499,999 of 500,000 Touches');
  await page.getByTestId('exclude').click();
  await expect.poll(rowCount, { timeout: 20_000 }).toBe('2');
  expect(page.url().length).toBeLessThan(3000);
  await page.keyboard.press('Control+z');
  await expect.poll(rowCount, { timeout: 20_000 }).toBe(String(ITEMS + 1));
  await page.getByTestId('filter-to').click();
  await expect.poll(rowCount, { timeout: 20_000 }).toBe(String(ITEMS));
  await page.reload();
  await expect.poll(rowCount, { timeout: 60_000 }).toBe(String(ITEMS));
  await page.keyboard.press('Control+z');
});
