// The pipeline of steps: filters among the others, changed, moved, removed and undone; and what steps do not do.
import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { openRing, query, settled } from './page';

const steps = (page: Page) => expect.poll(() => query(page).get('steps') ?? '');
const total = (page: Page) => page.evaluate(() => window.__cambium?.sectors.rootTotal ?? 0);
const FILTER = 'Method matches "xalan"';
const OTHER = 'Package in ["org.apache.xalan.templates", "org.apache.xalan.processor"]';

async function write(page: Page, text: string): Promise<void> {
  await page.getByTestId('filter-text').fill(text);
  await expect(page.getByTestId('filter-apply')).toBeEnabled();
  await page.getByTestId('filter-apply').click();
  await settled(page);
}

test('a filter is a step of one chart: added, changed, moved, removed, undone', async ({ page }) => {
  await openRing(page, { steps: 'compact:1' });
  const all = await total(page);
  await page.getByTestId('add-filter-step').click();
  await write(page, FILTER);
  await steps(page).toBe(`compact:1,filter:${FILTER}`);
  await expect.poll(() => total(page)).toBeLessThan(all);
  const some = await total(page);
  expect(some).toBeGreaterThan(0);
  await expect(page.getByTestId('filter-chip')).toHaveCount(0);

  await page.getByTestId('edit-filter').click();
  await write(page, OTHER);
  await steps(page).toBe(`compact:1,filter:${OTHER.replaceAll(',', '%2C')}`);
  await expect.poll(() => total(page)).toBeLessThan(some);
  await page.reload();
  await settled(page);
  await expect(page.locator('[data-step="filter"]')).toContainText('Package org.apache.xalan.templates or org.apache.xalan.processor');

  // By the keyboard, by a button, and by dragging.
  await page.getByTestId('edit-filter').focus();
  await page.keyboard.press('Alt+ArrowLeft');
  await steps(page).toMatch(/^filter:.*,compact:1$/);
  await page.getByTestId('move-filter-after').click();
  await steps(page).toMatch(/^compact:1,filter:/);
  await page.locator('[data-step="filter"]').dragTo(page.locator('[data-step="compact"]'));
  await steps(page).toMatch(/^filter:.*,compact:1$/);
  await page.keyboard.press('Control+z');
  await steps(page).toMatch(/^compact:1,filter:/);
  await page.getByRole('button', { name: /^Remove the step filter/ }).click();
  await steps(page).toBe('compact:1');
  await expect.poll(() => total(page)).toBe(all);
  await page.keyboard.press('Control+z');
  await steps(page).toMatch(/^compact:1,filter:/);
});

test('filters that keep nothing say so, and are removed by a button', async ({ page }) => {
  await openRing(page);
  const all = await total(page);
  for (const where of ['add-filter-step', 'add-filter']) {
    await page.getByTestId(where).click();
    await page.getByTestId('filter-text').fill('invocations > 1000000000000');
    await page.getByTestId('filter-apply').click();
    await expect(page.getByTestId('nothing-left')).toContainText('No event that the filters keep');
  }
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  await page.getByRole('button', { name: 'Remove all filters' }).click();
  await settled(page);
  await expect(page.getByTestId('nothing-left')).toHaveCount(0);
  await steps(page).toBe('');
  await expect.poll(() => total(page)).toBe(all);
});

test('a filter of all charts stands in front of the steps, and can become one of them', async ({ page }) => {
  await openRing(page, { steps: 'norec' });
  const all = await total(page);
  await page.getByTestId('add-filter').click();
  await write(page, FILTER);
  await expect(page.getByTestId('steps').locator('[data-step]')).toHaveCount(2);
  await expect(page.locator('[data-step]').first()).toHaveAttribute('data-step', 'shared-filter');
  await expect.poll(() => total(page)).toBeLessThan(all);
  const some = await total(page);
  await page.getByTestId('edit-shared-filter').click();
  await page.getByTestId('filter-elsewhere').click();
  await steps(page).toBe(`filter:${FILTER},norec`);
  await expect(page.getByTestId('filter-chip')).toHaveCount(0);
  await settled(page);
  expect(await total(page)).toBe(some);
  await page.getByTestId('edit-filter').click();
  await page.getByTestId('filter-elsewhere').click();
  await steps(page).toBe('norec');
  await expect(page.getByTestId('filter-chip')).toHaveCount(1);
  await page.getByRole('button', { name: /^Remove the step filter/ }).click();
  await expect.poll(() => total(page)).toBe(all);
});

test('actions that do not apply any more are told, with the reason', async ({ page }) => {
  await openRing(page, { steps: 'compact:1;expand-all;compact-package:nothing.here' });
  const note = page.getByTestId('step-note');
  await expect(note).toHaveText('1 of 2 actions do not apply here');
  await note.click();
  await expect(page.getByTestId('step-note-details')).toContainText('There is no package, class or method nothing.here.');
  await page.keyboard.press('Escape');
});

for (const theme of ['light', 'dark']) {
  test(`axe finds nothing, ${theme}`, async ({ page }) => {
    await openRing(page, { theme, steps: `filter:${FILTER},compact:1;expand:1;compact-package:nothing.here` });
    await page.getByTestId('step-note').click();
    await expect(page.getByTestId('step-note-details')).toBeVisible();
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByTestId('edit-filter').click();
    await expect(page.getByTestId('filter-text')).toBeVisible();
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  });
}

for (const theme of ['light', 'dark']) {
  test(`six steps are all seen in a page 1280 pixels wide, ${theme}`, async ({ page }) => {
    await openRing(page, { view: 'icicle', theme, steps: `focus:1,norec,compact:65535,filter:${FILTER},filter:${OTHER.replaceAll(',', '%2C')},bymethod` });
    const list = page.getByTestId('steps');
    const chips = list.locator('[data-step]');
    await expect(chips).toHaveCount(6);
    for (const chip of await chips.all()) await expect(chip).toBeInViewport({ ratio: 1 });
    expect(await list.evaluate((e) => e.scrollWidth - e.clientWidth)).toBeLessThan(2);
    // The settings are below, all of them.
    await expect(page.getByTestId('param-color')).toBeInViewport({ ratio: 1 });
    const top = async (id: string) => (await page.getByTestId(id).boundingBox())?.y ?? NaN;
    expect(await top('param-color')).toBeGreaterThan((await top('steps')) + 20);
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  });
}

test('a step more or less moves the chart no more than once', async ({ page }) => {
  const heights = new Set<number>();
  for (const steps of ['', 'norec', 'norec,bymethod', `filter:${FILTER},norec,bymethod`, `filter:${FILTER},compact:1,norec,bymethod`]) {
    await openRing(page, { view: 'icicle', steps });
    heights.add(Math.round((await page.getByTestId('chart').boundingBox())?.y ?? NaN));
  }
  expect(heights.size).toBeLessThanOrEqual(2);
});
