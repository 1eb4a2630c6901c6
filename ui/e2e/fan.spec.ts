import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import '../src/app/testHook';
import { address, clickAt, openRing, query, settled } from './page';

interface Disc {
  id: number;
  x: number;
  y: number;
  name: string;
}

/** The discs of the picture, the largest first. */
async function discs(page: Page): Promise<Disc[]> {
  return page.evaluate(() => {
    const sectors = window.__cambium?.sectors;
    if (!sectors || sectors.shape !== 'discs') throw new Error('there is no fan');
    const g = sectors.geometry;
    const all: (Disc & { r: number })[] = [];
    for (let i = 0; i < sectors.size; i++) {
      if (sectors.kind[i] !== 0 || sectors.method[i] === 0xffffffff) continue;
      const at = (g[i * 4] + g[i * 4 + 1]) / 2;
      const a = (g[i * 4 + 2] + g[i * 4 + 3]) / 2;
      all.push({ id: sectors.id[i], x: sectors.cx + Math.sin(a) * at, y: sectors.cy - Math.cos(a) * at, r: (g[i * 4 + 1] - g[i * 4]) / 2, name: sectors.names[sectors.method[i]] ?? '' });
    }
    return all.sort((a, b) => b.r - a.r);
  });
}

/** The largest node that can be expanded: a package that shows one element of its name. */
async function packageOf(page: Page): Promise<Disc> {
  const found = (await discs(page)).find((d) => /^(org|java|main)$/.test(d.name));
  if (!found) throw new Error('there is no package');
  return found;
}

test('click expands, the right button compacts, undo and redo go back and forth', async ({ page }) => {
  const chart = await openRing(page, { view: 'fan' });
  const before = await discs(page);
  const node = await packageOf(page);
  await clickAt(chart, node);
  await expect.poll(() => query(page).get('steps')).toBe(`compact:1;expand:${node.id}`);
  await settled(page);
  const after = await discs(page);
  expect(after.length).toBeGreaterThan(before.length);
  await expect(page.getByTestId('steps')).toContainText('1 change');

  const split = after.find((d) => d.id === node.id);
  expect(split?.name).not.toBe(node.name);
  await chart.click({ button: 'right', position: { x: split?.x ?? 0, y: split?.y ?? 0 } });
  await expect.poll(() => query(page).get('steps')).toContain(`;compact:${node.id}`);
  await settled(page);

  await page.keyboard.press('u');
  await expect.poll(() => query(page).get('steps')).toBe(`compact:1;expand:${node.id}`);
  await page.keyboard.press('u');
  await expect.poll(() => query(page).get('steps')).toBeNull();
  await settled(page);
  expect(await discs(page)).toHaveLength(before.length);
  await page.keyboard.press('U');
  await expect.poll(() => query(page).get('steps')).toBe(`compact:1;expand:${node.id}`);
});

test('what cannot be done is said, and changes nothing', async ({ page }) => {
  const chart = await openRing(page, { view: 'fan' });
  const node = await packageOf(page);
  await chart.click({ button: 'right', position: { x: node.x, y: node.y } });
  await expect(page.getByTestId('blocked')).toContainText('shows a single element of its name already');
  expect(query(page).get('steps')).toBeNull();
  await page.getByTestId('blocked').getByRole('button').click();
  await expect(page.getByTestId('blocked')).toHaveCount(0);
});

test('the keys do the same, and everything by one level', async ({ page }) => {
  const chart = await openRing(page, { view: 'fan' });
  const count = (await discs(page)).length;
  await chart.focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByTestId('chart-spoken')).not.toBeEmpty();
  await page.keyboard.press('E');
  await expect.poll(() => query(page).get('steps')).toBe('compact:1;expand-all');
  await settled(page);
  expect((await discs(page)).length).toBeGreaterThan(count);
  await page.keyboard.press('K');
  await expect.poll(() => query(page).get('steps')).toBe('compact:1;expand-all;compact-all');
  await settled(page);
  expect(await discs(page)).toHaveLength(count);
  const node = await packageOf(page);
  await chart.hover({ position: { x: node.x, y: node.y } });
  await expect(page.getByTestId('tooltip')).toContainText(node.name);
  await page.keyboard.press('e');
  await expect.poll(() => query(page).get('steps')).toContain(`;expand:${node.id}`);
});

test('Shift and an arrow key are about everything, from the chart, a table and the page', async ({ page }) => {
  const chart = await openRing(page, { view: 'fan' });
  await chart.focus();
  await page.keyboard.press('Shift+ArrowDown');
  await expect.poll(() => query(page).get('steps')).toBe('compact:1;expand-all');
  await settled(page);
  await page.keyboard.press('Shift+ArrowUp');
  await expect.poll(() => query(page).get('steps')).toBe('compact:1;expand-all;compact-all');
  await page.goto(address({ ds: 'd1', view: 'treetable', steps: 'compact:1' }));
  const table = page.getByTestId('tree-table');
  await expect(table.getByRole('row').nth(1)).toBeVisible();
  await settled(page);
  await page.keyboard.press('Shift+ArrowDown');
  await expect.poll(() => query(page).get('steps')).toBe('compact:1;expand-all');
  await settled(page);
  await table.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+ArrowUp');
  await expect.poll(() => query(page).get('steps')).toBe('compact:1;expand-all;compact-all');
});

test('the menu selects what a name stands for', async ({ page }) => {
  const chart = await openRing(page, { view: 'fan' });
  const node = await packageOf(page);
  await chart.click({ modifiers: ['Alt'], position: { x: node.x, y: node.y } });
  await page.getByTestId('select-method').click();
  await expect(page.getByTestId('selection-kept')).toContainText(/[1-9][\d,]* of [\d,]+/);
  await settled(page);
  expect(await page.evaluate(() => window.__cambium?.sectors.match.includes(1))).toBe(true);
});

for (const theme of ['light', 'dark']) {
  test(`axe finds nothing, ${theme}`, async ({ page }) => {
    await openRing(page, { view: 'fan', theme, steps: 'compact:explain:40' });
    await page.keyboard.press('e');
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    const node = (await discs(page))[0];
    await page.getByTestId('chart').click({ modifiers: ['Alt'], position: { x: node.x, y: node.y } });
    await page.getByTestId('act-more').hover();
    await expect(page.getByTestId('act-expand-all')).toBeVisible();
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    await page.getByTestId('act-name').hover();
    await expect(page.getByTestId('act-level-2')).toBeVisible();
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  });
}

test('the wheel zooms and a drag moves', async ({ page }) => {
  const chart = await openRing(page, { view: 'fan' });
  const room = page.locator('.zoomed');
  const before = (await chart.boundingBox())?.width ?? 0;
  const few = (await discs(page)).length;
  const box = await room.boundingBox();
  if (!box) throw new Error('there is no room');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.wheel(0, -100);
  await expect.poll(async () => (await chart.boundingBox())?.width ?? 0).toBeGreaterThan(before * 1.2);
  await settled(page);
  expect((await discs(page)).length).toBeGreaterThanOrEqual(few);
  const at = await room.evaluate((e) => e.scrollLeft);
  expect(at).toBeGreaterThan(0);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 60, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  expect(await room.evaluate((e) => e.scrollLeft)).toBeLessThan(at);
  expect(query(page).get('steps')).toBeNull();
  await page.keyboard.press('-');
  await expect.poll(async () => Math.round((await chart.boundingBox())?.width ?? 0)).toBe(Math.round(before));
});

test('a ring shows the same compaction, and its menu changes it', async ({ page }) => {
  const chart = await openRing(page, { view: 'ring' });
  const all = await page.evaluate(() => window.__cambium?.sectors.size ?? 0);
  await page.getByTestId('compact').click();
  await expect.poll(() => query(page).get('steps')).toBe('compact:1');
  await settled(page);
  expect(await page.evaluate(() => window.__cambium?.sectors.size ?? 0)).toBeLessThan(all);
  await page.getByTestId('norec').click();
  await expect.poll(() => query(page).get('steps')).toBe('compact:1,norec');
  await settled(page);
  const g = await page.evaluate(() => {
    const { sectors } = window.__cambium ?? {};
    if (!sectors) throw new Error('there is no picture');
    const r = (sectors.geometry[4] + sectors.geometry[5]) / 2;
    const a = (sectors.geometry[6] + sectors.geometry[7]) / 2;
    return { x: sectors.cx + Math.sin(a) * r, y: sectors.cy - Math.cos(a) * r };
  });
  await chart.click({ button: 'right', position: g });
  await page.getByTestId('act-more').click();
  await page.getByTestId('act-expand-all').click();
  await expect.poll(() => query(page).get('steps')).toBe('compact:1;expand-all,norec');
  await page.getByTestId('move-norec').click();
  await expect.poll(() => query(page).get('steps')).toBe('norec,compact:1;expand-all');
  await settled(page);
  expect(await page.evaluate(() => window.__cambium?.sectors.size ?? 0)).toBeGreaterThan(1);
});

test('so does a table, whose rows have the menu too', async ({ page }) => {
  await page.goto(address({ ds: 'd1', view: 'treetable', steps: 'compact:1' }));
  const table = page.getByTestId('tree-table');
  await expect(table.getByRole('row').nth(1)).toBeVisible();
  await table.getByRole('row').nth(1).click({ button: 'right' });
  await page.getByTestId('row-menu').getByTestId('act-expand').click();
  await expect.poll(() => query(page).get('steps') ?? '').toMatch(/^compact:1;expand:\d+$|^compact:1$/);
  await table.getByRole('row').nth(1).click({ button: 'right' });
  await page.getByTestId('act-more').click();
  await page.getByTestId('act-expand-all').click();
  await expect.poll(() => query(page).get('steps') ?? '').toContain(';expand-all');
});
