// Panels: configured, zoomed, sorted, moved, and reached with the keyboard alone.
import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { query } from './page';
import { add, drawn, openTrace, shown } from './trace';

test('the form offers only what fits', async ({ page }) => {
  await openTrace(page);
  await page.getByTestId('configure-2').click();
  const form = page.getByTestId('configure-form-2');
  await form.getByTestId('form-x').click();
  const options = page.getByRole('option');
  await expect(options.filter({ hasText: 'Bytecode' })).toHaveCount(1);
  await expect(options.filter({ hasText: 'count' }).first()).toBeVisible();
  await expect(options.filter({ hasText: 'Method' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await form.getByTestId('form-y').click();
  await expect(options.filter({ hasText: 'Location' }).first()).toBeVisible();
  await expect(options.filter({ hasText: 'Bytecode' })).toHaveCount(0);
  await options.filter({ hasText: /^Method$/ }).click();
  await expect(page.getByTestId('tab-2')).toContainText('Bytecode × Method');
  await expect.poll(async () => (await shown(page, '2')).up?.name).toBe('Method');
  await form.getByTestId('form-title').fill('Who is active');
  await page.keyboard.press('Enter');
  await form.getByRole('button', { name: 'Close the form' }).click();
  await expect(form).toHaveCount(0);
  await expect(page.getByTestId('tab-2')).toContainText('Who is active');
});

test('bars turn when their axes are exchanged', async ({ page }) => {
  await openTrace(page);
  await page.getByTestId('configure-1').click();
  const form = page.getByTestId('configure-form-1');
  await form.getByTestId('form-x').click();
  await page.getByRole('option', { name: 'Method', exact: true }).click();
  await expect.poll(async () => (await shown(page, '1')).across?.name).toBe('Method');
  await expect(form.getByRole('alert')).toHaveCount(0);
});

test('the wheel zooms into time and rows, and a double click shows all', async ({ page }) => {
  await openTrace(page);
  const before = await shown(page, '2');
  const chart = page.getByTestId('plot-2');
  if (!before.plot || !before.across || !before.up) throw new Error('there is no plot');
  const middle = { x: before.plot.x + before.plot.w / 2, y: before.plot.y + before.plot.h / 2 };
  await chart.hover({ position: middle });
  await page.mouse.wheel(0, -400);
  const width = async () => {
    const { across } = await shown(page, '2');
    return across ? across.to - across.from : 0;
  };
  await expect.poll(width).toBeLessThan((before.across.to - before.across.from) * 0.7);
  expect((await shown(page, '2')).up?.to).toBeLessThan(before.up.max);
  await expect(page.getByTestId('reset-2')).toBeVisible();
  await chart.dblclick({ position: middle });
  await expect.poll(width).toBe(before.across.to - before.across.from);
  // On an axis, that axis alone.
  await chart.hover({ position: { x: before.plot.x - 20, y: middle.y } });
  await page.mouse.wheel(0, -400);
  await expect.poll(async () => (await shown(page, '2')).up?.to).toBeLessThan(before.up.max);
  expect(await width()).toBe(before.across.to - before.across.from);
  await page.getByTestId('reset-2').click();
  // With the keyboard.
  await chart.focus();
  await page.keyboard.press('w');
  await expect.poll(width).toBeLessThan((before.across.to - before.across.from) * 0.8);
  await page.keyboard.press('0');
  await expect.poll(width).toBe(before.across.to - before.across.from);
});

test('the pointer tells names and values', async ({ page }) => {
  await openTrace(page);
  const { plot } = await shown(page, '1');
  if (!plot) throw new Error('there is no plot');
  await page.getByTestId('plot-1').hover({ position: { x: plot.x + 5, y: plot.y + 5 } });
  await expect(page.getByTestId('point-tip')).toContainText('charAt');
  await expect(page.getByTestId('point-tip')).toContainText('share');
  await page.getByTestId('data-set-menu').hover();
  await expect(page.getByTestId('point-tip')).toHaveCount(0);
});

test('sorting, and others that follow', async ({ page }) => {
  await openTrace(page);
  await add(page, 'table');
  await drawn(page, '3');
  const first = async () => (await shown(page, '3')).rows[0]?.name ?? '';
  const byAmount = await first();
  await page.getByTestId('menu-3').click();
  await page.getByTestId('sort-left').click();
  await page.getByTestId('sort-left-lexical').click();
  await expect.poll(first).not.toBe(byAmount);
  await page.keyboard.press('u');
  await expect.poll(first).toBe(byAmount);
  // As the hot spots: by first activity.
  await page.getByTestId('menu-2').click();
  await page.getByTestId('lead-2').click();
  await expect.poll(first).not.toBe(byAmount);
});

test('a table scrolls through all of its rows, and is used with the keyboard', async ({ page }) => {
  await openTrace(page);
  await add(page, 'table');
  await drawn(page, '3');
  const table = page.getByTestId('table-3');
  const { total } = await shown(page, '3');
  await table.focus();
  await page.keyboard.press('End');
  const last = table.locator(`[aria-rowindex="${total + 1}"]`);
  await expect(last).toBeVisible();
  await expect(last).not.toContainText('…', { timeout: 8000 }).catch(() => undefined);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Space');
  await expect(page.getByTestId('selection-words')).toContainText('Location');
  await expect(table.getByRole('row', { selected: true })).toHaveCount(2);
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await expect(table.getByRole('row', { selected: true })).toHaveCount(1);
});

test('bars are used with the keyboard', async ({ page }) => {
  await openTrace(page);
  await page.getByTestId('plot-1').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByTestId('point-tip')).toBeVisible();
  await page.keyboard.press('Space');
  await expect.poll(async () => (await shown(page, '1')).matched).toBe(1);
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Space');
  await expect.poll(async () => (await shown(page, '1')).matched).toBe(2);
});

test('panels are closed, brought back, duplicated, moved and maximised', async ({ page }) => {
  await openTrace(page);
  await page.getByTestId('close-1').click();
  await expect(page.getByTestId('tab-1')).toHaveCount(0);
  await page.keyboard.press('Control+z');
  await drawn(page, '1');
  await page.getByTestId('menu-1').click();
  await page.getByTestId('duplicate-1').click();
  await drawn(page, '3');
  await expect(page.getByTestId('tab-3')).toContainText('(2)');
  const before = await page.getByTestId('panel-2').boundingBox();
  await page.getByTestId('maximise-2').click();
  await expect.poll(async () => (await page.getByTestId('panel-2').boundingBox())?.width ?? 0).toBeGreaterThan((before?.width ?? 0) * 1.3);
  await page.getByTestId('maximise-2').click();
  await expect(page.getByTestId('panel-1')).toBeVisible();
  await page.getByTestId('menu-2').click();
  await page.getByTestId('move-2').click();
  await page.getByRole('menuitem', { name: 'To the left' }).click();
  await expect.poll(async () => (await page.getByTestId('panel-2').boundingBox())?.x ?? 999).toBeLessThan(250);
  expect(query(page).get('w')).toContain('row');
  // All closed: what to do now.
  for (const id of ['1', '2', '3']) await page.getByTestId(`close-${id}`).click();
  await expect(page.getByTestId('no-panels')).toBeVisible();
  await page.getByTestId('no-panels').getByTestId('add-chart').click();
  await page.getByTestId('add-hotspot').click();
  await expect(page.locator('[data-testid^=plot-]')).toBeVisible();
});

test('reload restores the panels and what is in them', async ({ page }) => {
  await openTrace(page);
  expect(query(page).get('w')).toBeNull();
  await add(page, 'prediction');
  await drawn(page, '3');
  await page.getByTestId('plot-3').focus();
  await page.keyboard.press('w');
  await expect(page.getByTestId('reset-3')).toBeVisible();
  await drawn(page, '3');
  const { across } = await shown(page, '3');
  await expect.poll(() => query(page).get('w') ?? '').toContain('period');
  await page.reload();
  await drawn(page, '3');
  expect((await shown(page, '3')).across).toEqual(across);
});

test('pictures and tables of panels are saved', async ({ page }) => {
  await openTrace(page);
  for (const [item, ending] of [['Save picture, SVG', 'svg'], ['Save picture, PNG', 'png'], ['Save table, CSV', 'csv']] as const) {
    await page.getByTestId('menu-2').click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: item }).click();
    expect((await download).suggestedFilename()).toMatch(new RegExp(`\\.${ending}$`));
  }
});

test('an error is said in the panel it belongs to', async ({ page }) => {
  await openTrace(page);
  const ds = query(page).get('ds') ?? '';
  const url = new URL(page.url());
  url.search = `?ds=${ds}&w={~p~:[{~i~:~1~,~v~:~bar~},{~i~:~2~,~v~:~hotspot~,~m~:{~y~:~Nowhere~}}]}`;
  await page.goto(url.href);
  await expect(page.getByTestId('error-2')).toContainText('Nowhere');
  await drawn(page, '1');
  await page.getByTestId('error-2').getByRole('button', { name: 'Configure' }).click();
  await expect(page.getByTestId('configure-form-2').getByRole('alert')).toContainText('Nowhere');
});

for (const theme of ['light', 'dark'] as const) {
  test(`axe finds nothing in linked charts, ${theme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme });
    await openTrace(page);
    await add(page, 'table');
    await drawn(page, '3');
    await page.getByTestId('table-3').getByRole('row').nth(2).click();
    await expect(page.getByTestId('selection-words')).toBeVisible();
    await page.keyboard.press('g');
    await page.keyboard.press('Enter');
    await page.getByTestId('table-3').getByRole('row').nth(3).click();
    await expect(page.getByTestId('selection-words')).toBeVisible();
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    await page.getByTestId('configure-2').click();
    await expect(page.getByTestId('form-y')).toBeVisible();
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByTestId('add-filter').click();
    await page.getByTestId('filter-text').fill('nonsense');
    await expect(page.getByTestId('filter-apply')).toBeDisabled();
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  });
}

test('nothing moves while a pass runs', async ({ page }) => {
  await openTrace(page);
  const dock = page.getByTestId('dock');
  const before = await dock.boundingBox();
  // The first answer of a pass that then takes its time: 1 of 2 events.
  await page.route('**/cambium.v1.Workbench/Visualize', () => undefined);
  const sizes = await page.evaluate(() => {
    const line = document.querySelector('[data-testid=status-line] .status-end');
    const button = document.querySelector('[data-testid=add-filter]')?.cloneNode(true);
    if (!line || !button) throw new Error('there is no line');
    const height = line.parentElement?.offsetHeight;
    line.append(button);
    return [height, line.parentElement?.offsetHeight];
  });
  expect(sizes[0]).toBe(sizes[1]);
  await page.getByTestId('add-chart').click();
  await page.getByTestId('add-table').click();
  await expect(page.getByTestId('tab-3')).toBeVisible();
  expect(await dock.boundingBox()).toEqual(before);
});
