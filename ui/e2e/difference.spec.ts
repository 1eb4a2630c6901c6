// Two profiles compared: what is new, gone and the same in every chart of calling contexts.
import { fileURLToPath } from 'node:url';
import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import '../src/app/testHook';
import { address, query, settled } from './page';

const profile = (name: string) => fileURLToPath(new URL(`../../viz/all/testdata/${name}`, import.meta.url));
const trace = (name: string) => fileURLToPath(new URL(`../../match/testdata/${name}`, import.meta.url));
const nameOf = (file: string) => file.slice(file.lastIndexOf('/') + 1);

/** Compares the second of two files with the first, or shows what an earlier test compared; gives the id of the comparison. */
async function compare(page: Page, before: string, after: string): Promise<string> {
  await page.goto(address({ theme: 'light' }));
  const menu = page.getByTestId('data-set-menu');
  const both = `${nameOf(after)} compared with ${nameOf(before)}`;
  await expect(page.getByTestId('dock').or(page.getByTestId('empty-state')).first()).toBeVisible({ timeout: 20_000 });
  if (await menu.isEnabled()) {
    await menu.click();
    const there = page.getByRole('menuitem').filter({ hasText: both });
    if ((await there.count()) > 0) {
      await there.first().click();
      await expect(menu).toContainText(both);
      return idOf(page);
    }
    await page.keyboard.press('Escape');
  }
  for (const file of [before, after]) {
    await page.getByTestId('open-file-input').setInputFiles(file);
    await expect(menu).toContainText(nameOf(file), { timeout: 20_000 });
  }
  await page.getByTestId('compare-menu').click();
  await page.getByRole('menuitem', { name: nameOf(before), exact: true }).last().click();
  await expect(menu).toContainText(both);
  return idOf(page);
}

async function idOf(page: Page): Promise<string> {
  await expect.poll(() => query(page).get('ds')).toMatch(/^d\d+$/);
  return query(page).get('ds') ?? '';
}

interface Shape {
  x: number;
  y: number;
  colour: string;
  total: number;
}

/** The largest shape of each method that is drawn, where its middle is, and what hue it has. */
async function shapes(page: Page): Promise<Record<string, Shape>> {
  return page.evaluate(() => {
    const sectors = window.__cambium?.sectors;
    const all: Record<string, { x: number; y: number; colour: string; total: number }> = {};
    if (!sectors) return all;
    for (let i = sectors.size - 1; i >= 0; i--) {
      const name = sectors.names[sectors.method[i]];
      if (sectors.kind[i] !== 0 || name === undefined || (all[name]?.total ?? -1) > sectors.total[i]) continue;
      const [r0, r1, a0, a1] = sectors.geometry.subarray(i * 4, i * 4 + 4);
      const r = (r0 + r1) / 2;
      const a = (a0 + a1) / 2;
      const box = sectors.shape === 'down' || sectors.shape === 'up';
      const red = sectors.fill[i] >>> 24;
      const blue = (sectors.fill[i] >>> 8) & 0xff;
      all[name] = {
        x: box ? a : sectors.cx + r * Math.sin(a),
        y: box ? (sectors.shape === 'up' ? sectors.cy - r : r) : sectors.cy - r * Math.cos(a),
        colour: red > blue + 12 ? 'orange' : blue > red + 12 ? 'blue' : 'gray',
        total: sectors.total[i],
      };
    }
    return all;
  });
}

test('profiles: colours, both sides, swapped, normalised, a least change', async ({ page }) => {
  test.slow(); // many steps
  await compare(page, profile('lua-quicksort.pb.gz'), profile('lua-heapsort.pb.gz'));
  const bar = page.getByTestId('compare-bar');
  await expect(bar).toContainText(/From\s*A\s*lua-quicksort\.pb\.gz.*to\s*B\s*lua-heapsort\.pb\.gz/);
  await expect(page.getByTestId('compare-change')).toHaveText(/^\+88/);
  await settled(page);
  await page.getByTestId('depth').getByRole('button', { name: 'all', exact: true }).click();
  await settled(page);
  let drawn = await shapes(page);
  expect([drawn['heap_sort'].colour, drawn['auxsort'].colour]).toEqual(['orange', 'blue']);

  // Both sides under the pointer, and in the details.
  await page.getByTestId('chart').hover({ position: drawn['auxsort'] });
  const tip = page.getByTestId('tooltip');
  await expect(tip).toContainText('gone');
  await expect(tip.getByRole('columnheader')).toHaveText(['A', 'B', 'B − A', 'Change']);
  await expect(page.getByLabel('Details').getByTestId('sides').first()).toContainText('gone');

  // A key turns it round: in colours, words and tables.
  await page.keyboard.press('s');
  await expect(bar).toContainText(/From\s*B\s*lua-heapsort\.pb\.gz.*to\s*A/);
  await expect.poll(async () => (await shapes(page))['auxsort'].colour).toBe('orange');
  await page.getByTestId('chart').hover({ position: drawn['auxsort'] });
  await expect(tip).toContainText('new');
  await expect(page.getByTestId('tree-table').or(page.getByTestId('tree-table-2')).getByRole('columnheader').nth(1)).toHaveText(/total B/);
  await page.getByTestId('swap').click();
  await expect.poll(async () => (await shapes(page))['auxsort'].colour).toBe('blue');

  // Normalised, what both spend all of themselves in is the same.
  await expect.poll(async () => (await shapes(page))['main'].colour).toBe('orange');
  await page.keyboard.press('%');
  await expect.poll(async () => (await shapes(page))['main'].colour).toBe('gray');
  expect(query(page).get('metric')).toBe('Duration, normalised');
  await expect.poll(async () => (await shapes(page))['heap_sort'].colour).toBe('orange');
  await page.getByTestId('normalise').click({ force: true });
  await expect.poll(async () => (await shapes(page))['main'].colour).toBe('orange');

  // By the change of self, what only calls has no colour.
  await page.getByTestId('param-of').getByText('Self').click();
  await expect.poll(async () => (await shapes(page))['main'].colour).toBe('gray');
  expect((await shapes(page))['auxsort'].colour).toBe('blue');
  expect(query(page).get('p.of')).toBe('self');
  await page.getByTestId('param-of').getByText('Total').click();
  await expect.poll(async () => (await shapes(page))['main'].colour).toBe('orange');

  await page.getByTestId('param-least').fill('99');
  await expect.poll(async () => Object.values(await shapes(page)).every((s) => s.colour === 'gray')).toBe(true);
  expect(query(page).get('p.least')).toBe('99');
});

for (const theme of ['light', 'dark']) {
  for (const view of ['ring', 'icicle', 'fan']) {
    test(`profiles: ${view}, ${theme}`, async ({ page }) => {
      test.slow(); // axe looks at the page that it opens second
      const ds = await compare(page, profile('lua-quicksort.pb.gz'), profile('lua-heapsort.pb.gz'));
      await page.goto(address({ ds, view, theme, steps: view === 'fan' ? 'compact:65535' : 'depth:40' }));
      await expect(page.getByTestId('chart')).toBeVisible({ timeout: 20_000 });
      await settled(page);
      const drawn = await shapes(page);
      expect([drawn['heap_sort'].colour, drawn['auxsort'].colour]).toEqual(['orange', 'blue']);
      expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    });
  }
  test(`profiles: tree table by change, ${theme}`, async ({ page }) => {
    test.slow();
    const ds = await compare(page, profile('lua-quicksort.pb.gz'), profile('lua-heapsort.pb.gz'));
    await page.goto(address({ ds, view: 'treetable', theme, 'p.levels': '6' }));
    const table = page.getByTestId('tree-table');
    await expect(table).toBeVisible({ timeout: 20_000 });
    await table.getByRole('columnheader', { name: /^change/ }).first().click();
    await expect.poll(() => query(page).get('p.sort')).toBe('change');
    await expect(table.locator('#tree-table-row-2')).toContainText('+89');
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  });
}

test('traces: the calls of a changed context in both timelines', async ({ page }) => {
  test.slow(); // without a graphics card, tubes take their time
  await compare(page, trace('lua-quicksort.trace.json.gz'), trace('lua-heapsort.trace.json.gz'));
  await page.getByTestId('add-chart').first().click();
  await page.getByTestId('add-icicle').click();
  await expect(page.getByTestId('chart')).toBeVisible({ timeout: 20_000 });
  await page.getByTestId('depth').getByRole('button', { name: 'all', exact: true }).click();
  await settled(page);
  const { auxsort } = await shapes(page);
  expect(auxsort.colour).toBe('blue');
  await page.getByTestId('chart').click({ button: 'right', position: auxsort });
  await page.getByTestId('show-timelines').click();
  await expect(page.getByTestId('selection-words')).toContainText('Context');
  // Only the first of them calls it: the overview has a line for when, in A alone.
  const lines = () =>
    page.evaluate(() => {
      const scene = window.__cambiumPictures?.('1').scene;
      const sides: string[] = [];
      for (let i = 0; scene && i < scene.rects.size; i++) if (scene.rects.h[i] === 3 && scene.rects.fill[i] === 0x040404ff) sides.push(scene.rects.y[i] < scene.source.height / 2 ? 'A' : 'B');
      return sides;
    });
  await expect.poll(async () => new Set(await lines()).size).toBe(1);
  expect((await lines())[0]).toBe('A');
  // The rows of the tree table can do the same, also while there is a focus.
  await page.getByTestId('clear-selection').click();
  await expect.poll(async () => (await lines()).length).toBe(0);
  await page.getByTestId('focus-strip-0').press('Enter');
  await expect(page.getByTestId('focus-0')).toBeVisible();
  await page.getByTestId('add-chart').first().click();
  await page.getByTestId('add-treetable').click();
  const table = page.getByTestId('tree-table');
  await expect(table).toBeVisible({ timeout: 20_000 });
  await table.getByRole('row', { name: /_start|main/ }).first().click({ button: 'right' });
  await page.getByTestId('row-menu').getByTestId('show-timelines').click();
  await expect(page.getByTestId('selection-words')).toContainText('Context');
  await page.getByTestId('tab-1').click(); // the table is in front of the overview
  await expect.poll(async () => new Set(await lines()).size).toBe(2);
});

test('traces: a filter of times is decided by each of them', async ({ page }) => {
  test.slow(); // without a graphics card, tubes take their time
  await compare(page, trace('lua-quicksort.trace.json.gz'), trace('lua-heapsort.trace.json.gz'));
  await page.getByTestId('add-chart').first().click();
  await page.getByTestId('add-icicle').click();
  await expect(page.getByTestId('chart')).toBeVisible({ timeout: 20_000 });
  await settled(page);
  const total = () => page.evaluate(() => window.__cambium?.sectors.rootTotal ?? 0);
  const all = await total();
  await page.getByTestId('add-filter').click();
  await page.getByTestId('filter-text').fill('Context == 1 or Start > 5000000');
  await expect(page.locator('.filter-editor')).toContainText('write two filters');
  await page.getByTestId('filter-text').fill('Start > 5000000');
  await expect(page.locator('.filter-editor')).toContainText("2,077 of 4,118 A's Calls");
  await page.getByTestId('filter-apply').click();
  await expect.poll(total).toBeLessThan(all);
  expect(await total()).toBeGreaterThan(0);
  await expect(page.getByRole('alert').filter({ hasText: 'cannot be drawn' })).toHaveCount(0);
});
