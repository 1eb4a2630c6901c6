import { expect, test } from '@playwright/test';
import { openRing, query, settled, widest, clickAt } from './page';

test('steps come and go without moving the chart', async ({ page }) => {
  const chart = await openRing(page);
  const before = await chart.boundingBox();
  await clickAt(chart, await widest(page));
  await expect.poll(() => query(page).get('steps')).toContain('focus');
  await settled(page);
  const focused = await page.getByTestId('root-title').textContent();
  await page.getByTestId('norec').click();
  await page.getByTestId('bymethod').click();
  await expect.poll(() => query(page).get('steps')).toContain('bymethod');
  await settled(page);
  expect(await chart.boundingBox()).toEqual(before);
  // A step keeps its name, though calling contexts are discarded after it.
  await expect(page.locator('[data-step=focus]')).toContainText(focused ?? '?');
  // Every step can be reached and taken away, the first one too, with the keyboard alone.
  const first = page.locator('[data-step=focus]').getByRole('button', { name: /^Remove/ });
  await first.focus();
  await expect(first).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect.poll(() => query(page).get('steps')).not.toContain('focus');
});

test('panels that are folded stay folded', async ({ page }) => {
  await openRing(page);
  const details = page.getByRole('complementary', { name: 'Details' });
  await details.getByRole('button', { name: 'Fold' }).click();
  await expect(details.getByRole('button', { name: 'Details' })).toHaveAttribute('aria-expanded', 'false');
  await page.reload();
  await expect(details.getByRole('button', { name: 'Details' })).toBeVisible();
  await details.getByRole('button', { name: 'Details' }).click();
  await expect(page.getByTestId('details-name')).toBeVisible();
});

test('a theme is remembered, and the address has the last word', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await openRing(page);
  const root = page.locator('html');
  await page.getByTestId('theme-button').click();
  await expect(root).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await openRing(page);
  await expect(root).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await openRing(page, { theme: 'light' });
  await expect(root).toHaveAttribute('data-mantine-color-scheme', 'light');
});

test('the second metric is offered with its colouring only', async ({ page }) => {
  await openRing(page);
  await expect(page.getByTestId('param-color')).toBeVisible();
  await expect(page.getByTestId('param-by')).toHaveCount(0);
  await page.keyboard.press('c');
  await page.keyboard.press('c');
  await expect(page.getByTestId('param-by')).toBeVisible();
});

test('the legend says shares', async ({ page }) => {
  await openRing(page, { steps: 'bymethod,depth:1000' });
  await expect(page.getByTestId('legend').getByRole('listitem').first()).toContainText('%');
});

test('the details follow what a list points at, and the list keeps its place', async ({ page }) => {
  await openRing(page, { q: 'e' });
  const name = page.getByTestId('details-name');
  await expect(name).not.toBeEmpty();
  const root = await name.textContent();
  const hit = page.getByTestId('search-results').getByRole('button').first();
  await hit.hover();
  await expect(name).not.toHaveText(root ?? '');
  const found = (await name.textContent()) ?? '';
  await page.getByTestId('search-input').hover();
  await expect(name).toHaveText(root ?? '');
  // With the keyboard as with the pointer.
  await page.getByTestId('search-input').focus();
  await hit.focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await expect(name).toHaveText(found);
  await page.getByTestId('search-input').focus();
  await expect(name).toHaveText(root ?? '');

  const callee = page.getByRole('region', { name: 'Callees' }).getByRole('button').first();
  const before = await callee.boundingBox();
  await callee.hover();
  await expect(name).not.toHaveText(root ?? '');
  expect(await callee.boundingBox()).toEqual(before);
  await page.getByTestId('search-input').hover();
  await expect(name).toHaveText(root ?? '');
});
