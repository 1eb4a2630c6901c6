// Charts of events that are linked: what is selected in one is selected in all.
import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { clickAt, openRing, settled, widest } from './page';
import { add, choose, dragRows, drawn, HELLO, openTrace, OTHER, shown } from './trace';

test('a trace opens with bars and hot spots', async ({ page }) => {
  await openTrace(page);
  const bars = await shown(page, '1');
  expect(bars.fills.length).toBeGreaterThan(0);
  expect(bars.up?.name).toBe('Location');
  const spots = await shown(page, '2');
  expect(spots.rasters).toBe(1);
  expect(spots.across?.name).toBe('Bytecode');
  await expect(page.getByTestId('tab-2')).toContainText('Bytecode × Location');
  await expect(page.getByRole('complementary', { name: 'Details' })).toHaveCount(0);
});

test('every chart is one click away and shows something', async ({ page }) => {
  await openTrace(page);
  for (const [i, view] of ['bar', 'table', 'hotspot', 'correlation', 'prediction'].entries()) {
    await add(page, view);
    await drawn(page, String(i + 3));
    await expect(page.getByTestId(`error-${i + 3}`)).toHaveCount(0);
  }
  await expect(page.getByTestId('charts').getByRole('listitem')).toHaveCount(7);
  expect((await shown(page, '4')).total).toBeGreaterThan(1000);
  expect((await shown(page, '6')).rasters).toBe(1);
  await expect(page.getByTestId('foot-7')).toContainText('guesses wrong');
});

test('a selection lights up in all charts, filters them, and is undone', async ({ page }) => {
  await openTrace(page);
  await add(page, 'table');
  await drawn(page, '3');
  const all = (await shown(page, '3')).total;
  await dragRows(page, '1', 1, 4);
  await expect(page.getByTestId('selection-words')).toHaveText('4 Locations');
  await expect(page.getByTestId('selection-kept')).toContainText(/of 83,705 Invocations/);
  await expect.poll(async () => (await shown(page, '1')).matched).toBe(4);
  await expect(page.getByTestId('table-3').getByRole('row', { selected: true })).toHaveCount(4);

  await page.getByTestId('filter-to').click();
  await expect(page.getByTestId('filter-chip')).toHaveText(/4 Locations/);
  await expect.poll(async () => (await shown(page, '3')).total).toBe(4);
  await expect.poll(async () => (await shown(page, '2')).up?.max).toBe(4);
  await expect.poll(async () => (await shown(page, '1')).up?.max).toBe(4);
  await expect(page.getByTestId('selection')).toContainText('Nothing is selected');

  await page.keyboard.press('Control+z');
  await expect(page.getByTestId('filter-chip')).toHaveCount(0);
  await expect(page.getByTestId('selection-words')).toHaveText('4 Locations');
  await expect.poll(async () => (await shown(page, '3')).total).toBe(all);
  await page.keyboard.press('Control+Shift+Z');
  await expect.poll(async () => (await shown(page, '3')).total).toBe(4);
  await page.getByTestId('undo').click();
  await page.getByTestId('exclude').click();
  await expect.poll(async () => (await shown(page, '3')).total).toBe(all - 4);
  await page.getByRole('button', { name: /Remove the filter/ }).click();
  await expect.poll(async () => (await shown(page, '3')).total).toBe(all);
});

test('selections are added, taken out, and intersected', async ({ page }) => {
  await openTrace(page);
  await add(page, 'table');
  await drawn(page, '3');
  const rows = page.getByTestId('table-3').getByRole('row', { selected: true });
  await dragRows(page, '1', 1, 4);
  await expect(rows).toHaveCount(4);
  await dragRows(page, '1', 6, 7, ['Shift']);
  await expect(rows).toHaveCount(6);
  await dragRows(page, '1', 2, 3, ['Alt']);
  await expect(rows).toHaveCount(4);
  await dragRows(page, '1', 4, 6, ['Control']);
  await expect(rows).toHaveCount(2);
  await page.keyboard.press('Escape');
  await expect(rows).toHaveCount(0);
});

test('a colour group is the same in all charts, and can be hidden', async ({ page }) => {
  await openTrace(page);
  await add(page, 'table');
  await drawn(page, '3');
  await dragRows(page, '1', 0, 2);
  await expect(page.getByTestId('selection-words')).toBeVisible();
  await page.keyboard.press('g');
  await page.getByTestId('group-name-input').fill('hot ones');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('group')).toContainText('hot ones');
  const coloured = async () => (await shown(page, '3')).rows.filter((r) => r.color !== 0).length;
  await expect.poll(coloured).toBe(3);
  const colour = (await shown(page, '3')).rows[0].color;
  expect((await shown(page, '1')).fills).toContain(colour);
  await page.getByTestId('group-toggle').click();
  await expect.poll(coloured).toBe(0);
  await expect.poll(async () => (await shown(page, '1')).fills.includes(colour)).toBe(false);
  await page.getByTestId('group-toggle').click();
  await expect.poll(coloured).toBe(3);
  await page.getByRole('button', { name: 'Colour of hot ones' }).click();
  await page.getByRole('button', { name: 'green', exact: true }).click();
  await expect.poll(async () => (await shown(page, '3')).rows[0].color).toBe(0x1f9254ff);
  await page.getByTestId('group-menu').click();
  await page.getByTestId('group-delete').click();
  await expect(page.getByTestId('group')).toHaveCount(0);
});

test('what is written as a filter is checked', async ({ page }) => {
  await openTrace(page);
  await page.getByTestId('add-filter').click();
  const text = page.getByTestId('filter-text');
  await text.fill('Nothing == "a"');
  await expect(page.getByText(/Nothing/).last()).toBeVisible();
  await expect(page.getByTestId('filter-apply')).toBeDisabled();
  await text.fill('Bytecode < 1000');
  await expect(page.getByRole('status').filter({ hasText: 'of 83,705 Invocations' })).toBeVisible();
  await page.getByTestId('filter-apply').click();
  await expect(page.getByTestId('filter-chip')).toContainText('Bytecode < 1000');
  await expect.poll(async () => (await shown(page, '2')).across?.max ?? 0).toBeLessThanOrEqual(1000);
  await page.getByTestId('filter-chip').getByRole('button').first().click();
  await text.fill('Bytecode < 500');
  await text.press('Enter');
  await expect(page.getByTestId('filter-chip')).toContainText('Bytecode < 500');
});

test('the ring takes part', async ({ page }) => {
  const chart = await openRing(page);
  await add(page, 'table');
  await drawn(page, '2');
  await settled(page);
  const segment = await widest(page);
  await chart.click({ position: segment, button: 'right' });
  await page.getByTestId('select-context').click();
  await expect(page.getByTestId('selection-words')).toContainText(`Context ${segment.id}`);
  await settled(page);
  expect(await page.evaluate(() => window.__cambium?.sectors.match.some((m) => m === 1))).toBe(true);
  // With the keyboard: the cursor, then Space.
  await chart.focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('selection')).toContainText('Nothing is selected');
  await chart.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await expect(page.getByTestId('selection-words')).toContainText('Context');
  // A filter makes another tree.
  const before = await page.getByTestId('status-line').textContent();
  await page.getByTestId('exclude').click();
  await settled(page);
  await expect(page.getByTestId('status-line')).not.toHaveText(before ?? '');
  await page.keyboard.press('u');
  await settled(page);
});

test('a workspace is saved, and applied to another data set', async ({ page }) => {
  await openTrace(page);
  await add(page, 'table');
  await drawn(page, '3');
  await page.getByTestId('tab-3').dblclick();
  await page.getByLabel('Title of the chart').fill('All places');
  await page.keyboard.press('Enter');
  await dragRows(page, '1', 0, 2);
  await expect(page.getByTestId('selection-words')).toBeVisible();
  await page.keyboard.press('g');
  await page.getByTestId('group-name-input').fill('first');
  await page.keyboard.press('Enter');
  const download = page.waitForEvent('download');
  await page.keyboard.press('Control+s');
  const saved = await download;
  expect(saved.suggestedFilename()).toMatch(/\.workspace\.json$/);
  const content = readFileSync(await saved.path());
  expect(JSON.parse(content.toString())).toMatchObject({ version: 1, groups: [{ name: 'first' }] });

  // A reload keeps the desk as it is.
  await page.reload();
  await expect(page.getByTestId('tab-3')).toContainText('All places');
  await expect(page.getByTestId('group')).toContainText('first');

  await choose(page, OTHER);
  await expect(page.getByTestId('group')).toHaveCount(0);
  await page.getByTestId('open-workspace-input').setInputFiles({ name: 'saved.workspace.json', mimeType: 'application/json', buffer: content });
  const report = page.getByTestId('workspace-report');
  await expect(report).toContainText(/occurs? here/);
  await report.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByTestId('charts').getByRole('listitem')).toHaveCount(3);
  await expect(page.getByTestId('charts')).toContainText('All places');
  await expect(page.getByTestId('group')).toContainText('first');
  // One step back to what was there.
  await page.keyboard.press('Control+z');
  await expect(page.getByTestId('charts').getByRole('listitem')).toHaveCount(2);
});

test('a workspace that is dropped is applied, and nonsense is said to be none', async ({ page }) => {
  await openTrace(page, HELLO);
  await page.getByTestId('open-workspace-input').setInputFiles({ name: 'no.json', mimeType: 'application/json', buffer: Buffer.from('{"a": 1}') });
  await expect(page.getByTestId('workspace-report')).toContainText('no saved workspace');
  await page.keyboard.press('Escape');
  const text = '{"version": 1, "charts": [{"id": "1", "view": "table", "title": "Only this"}]}';
  const data = await page.evaluateHandle((content) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], 'dropped.workspace.json'));
    return transfer;
  }, text);
  await page.dispatchEvent('body', 'drop', { dataTransfer: data });
  await expect(page.getByTestId('charts').getByRole('listitem')).toHaveText(['Only this']);
});

test('ctrl-click still pins', async ({ page }) => {
  const chart = await openRing(page);
  await clickAt(chart, await widest(page), ['Control']);
  await expect(page.getByRole('button', { name: 'Unpin' })).toBeVisible();
});

test('a workspace is applied to another data set, with what does not fit', async ({ page }) => {
  await openTrace(page, OTHER);
  await openTrace(page);
  await add(page, 'table');
  await drawn(page, '3');
  await dragRows(page, '1', 1, 4);
  await page.getByTestId('filter-to').click();
  await expect(page.getByTestId('filter-chip')).toHaveText(/4 Locations/);
  await page.getByTestId('save-menu').click();
  await page.getByRole('menuitem', { name: 'xalan-cut.evolve.txt.gz' }).first().click();
  await expect(page.getByTestId('data-set-menu')).toContainText('xalan-cut.evolve.txt.gz');
  await expect(page.getByTestId('workspace-report')).toContainText('The workspace of hello.evolve.txt.gz was made for another data set');
  await expect(page.getByTestId('workspace-report')).toContainText('The filter: ');
  await page.getByTestId('workspace-report').getByRole('button').click();
  await expect(page.getByTestId('charts').getByRole('listitem')).toHaveCount(3);
  await expect(page.getByTestId('filter-chip')).toHaveText(/4 Locations/);
  await page.keyboard.press('Control+z');
  await expect(page.getByTestId('filter-chip')).toHaveCount(0);
});
