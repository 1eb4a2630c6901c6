// The other pictures of calling context trees: icicles, flame graphs and tables.
import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Locator, type Page } from '@playwright/test';
import { address, openRing, query, settled } from './page';

interface Box {
  index: number;
  id: number;
  x: number;
  y: number;
  r0: number;
}

/** The boxes of the picture, those of contexts, with their middles. */
async function boxes(page: Page): Promise<Box[]> {
  return page.evaluate(() => {
    const sectors = window.__cambium?.sectors;
    if (!sectors) return [];
    const g = sectors.geometry;
    const all = [];
    for (let i = 0; i < sectors.size; i++) {
      if (sectors.kind[i] !== 0) continue;
      const r = (g[i * 4] + g[i * 4 + 1]) / 2;
      all.push({ index: i, id: sectors.id[i], x: (g[i * 4 + 2] + g[i * 4 + 3]) / 2, y: sectors.shape === 'up' ? sectors.cy - r : r, r0: g[i * 4] });
    }
    return all;
  });
}

async function open(page: Page, view: string, state: Record<string, string> = {}): Promise<void> {
  await page.goto(address({ ds: 'd1', view, ...state }));
  await expect(page.getByTestId(view === 'icicle' ? 'chart' : 'tree-table')).toBeVisible({ timeout: 20_000 });
  await settled(page);
}

async function choose(page: Page, param: string, option: string): Promise<void> {
  await page.getByTestId(`param-${param}`).click();
  await page.getByRole('option', { name: option, exact: true }).click();
  await settled(page);
}

function row(page: Page, at: number): Locator {
  return page.locator(`#tree-table-row-${at}`);
}

test('a box that is clicked becomes the root, with its details under the pointer', async ({ page }) => {
  await open(page, 'icicle');
  const all = await boxes(page);
  const wide = all[2];
  await page.getByTestId('chart').hover({ position: { x: wide.x, y: wide.y } });
  await expect(page.getByTestId('tooltip')).toBeVisible();
  await page.getByTestId('chart').click({ position: { x: wide.x, y: wide.y } });
  await expect.poll(() => query(page).get('steps')).toContain(`focus:${wide.id}`);
  await settled(page);
  expect((await boxes(page))[0].id).toBe(wide.id);
  await page.getByTestId('chart').click({ position: { x: wide.x, y: 8 } });
  await expect.poll(() => query(page).get('steps') ?? '').not.toContain(`focus:${wide.id}`);
});

test('a flame graph stands on its root', async ({ page }) => {
  await open(page, 'icicle');
  const down = await boxes(page);
  await page.getByTestId('param-direction').getByText('Up').click();
  await settled(page);
  await expect.poll(async () => (await boxes(page))[0].y).toBeGreaterThan(down[0].y + 100);
  const up = await boxes(page);
  await page.getByTestId('chart').focus();
  for (const key of ['ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  await expect(page.getByTestId('chart-spoken')).not.toHaveText('');
  expect(up.length).toBe(down.length);
});

test('callers are zoomed into and out of', async ({ page }) => {
  await open(page, 'icicle');
  await choose(page, 'mode', 'Callers');
  await expect.poll(async () => (await boxes(page)).length).toBeGreaterThan(3);
  const first = (await boxes(page)).find((b) => b.r0 > 1);
  if (!first) throw new Error('there are no callers');
  const chart = page.getByTestId('chart');
  await chart.click({ position: { x: first.x, y: first.y } });
  await expect.poll(() => query(page).get('p.zoom') ?? '').toContain(String(first.id));
  await settled(page);
  const zoomed = await boxes(page);
  const bounds = await chart.boundingBox();
  expect(zoomed[1].id).toBe(first.id);
  expect(Math.abs(zoomed[1].x - (bounds?.width ?? 0) / 2)).toBeLessThan(2);
  await chart.click({ position: { x: zoomed[1].x, y: zoomed[1].y } });
  await settled(page);
  await expect.poll(async () => (await boxes(page))[1].x).toBeCloseTo(first.x, 0);
});

test('another method is looked around by a click', async ({ page }) => {
  await open(page, 'icicle');
  await choose(page, 'mode', 'Around a method');
  await expect.poll(async () => (await boxes(page)).length).toBeGreaterThan(1);
  const other = (await boxes(page))[1];
  await page.getByTestId('chart').click({ position: { x: other.x, y: other.y } });
  await expect.poll(() => page.url()).toContain(`p.around=${other.id}`);
});

test('both are added beside the ring', async ({ page }) => {
  await openRing(page);
  for (const view of ['icicle', 'treetable']) {
    await page.getByTestId('add-chart').first().click();
    await page.getByTestId(`add-${view}`).click();
    await settled(page);
  }
  await expect(page.locator('[role="treegrid"]')).toBeVisible();
});

test('rows are opened and closed, by hand and by keys', async ({ page }) => {
  await open(page, 'treetable');
  const table = page.getByTestId('tree-table');
  const before = Number(await table.getAttribute('aria-rowcount'));
  await row(page, 1).locator('.tree-toggle').click();
  await expect.poll(async () => Number(await table.getAttribute('aria-rowcount'))).toBeGreaterThan(before);
  await expect(row(page, 1)).toHaveAttribute('aria-expanded', 'true');
  await expect(row(page, 2)).toHaveAttribute('aria-level', '3');
  await table.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await expect(table).toHaveAttribute('aria-activedescendant', 'tree-table-row-2');
  await page.keyboard.press('ArrowLeft');
  await expect(table).toHaveAttribute('aria-activedescendant', 'tree-table-row-1');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(async () => Number(await table.getAttribute('aria-rowcount'))).toBe(before);
  await page.reload();
  await expect(table).toHaveAttribute('aria-rowcount', String(before));
});

test('columns sort, and a row becomes the root', async ({ page }) => {
  await open(page, 'treetable', { 'p.levels': '3' });
  const head = page.getByRole('columnheader').first();
  await expect(head).toHaveAttribute('aria-sort', 'none');
  await page.getByTestId('tree-table-sort-0').click();
  await expect(head).toHaveAttribute('aria-sort', 'ascending');
  await page.getByTestId('tree-table-sort-0').click();
  await expect(head).toHaveAttribute('aria-sort', 'descending');
  await row(page, 1).dblclick();
  await expect.poll(() => query(page).get('steps') ?? '').toContain('focus:');
});

test('a row is pinned, and with Control selected', async ({ page }) => {
  await open(page, 'treetable', { 'p.levels': '3' });
  await row(page, 1).click();
  await expect.poll(() => query(page).get('pin')).not.toBeNull();
  await row(page, 1).click({ modifiers: ['Control'] });
  await expect(row(page, 1)).toHaveAttribute('aria-selected', 'true');
});

test('of all rows, the last can be reached', async ({ page }) => {
  await open(page, 'treetable', { 'p.levels': '1000' });
  const table = page.getByTestId('tree-table');
  const total = Number(await table.getAttribute('aria-rowcount')) - 1;
  await table.focus();
  await page.keyboard.press('End');
  await expect(row(page, total - 1).locator('.table-rest')).toBeVisible();
  await page.keyboard.press('ArrowLeft');
  await expect(table).not.toHaveAttribute('aria-activedescendant', `tree-table-row-${total - 1}`);
});

for (const theme of ['light', 'dark']) {
  test(`axe finds nothing, ${theme}`, async ({ page }) => {
    await open(page, 'treetable', { theme, 'p.levels': '4', q: 'e' });
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    await open(page, 'icicle', { theme, 'p.mode': 'callers' });
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  });
}
