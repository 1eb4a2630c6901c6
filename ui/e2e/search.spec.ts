import { expect, test } from '@playwright/test';
import '../src/app/testHook';
import { openRing, query, settled } from './page';

test('search, step through, choose, make root', async ({ page }) => {
  await openRing(page);
  await page.keyboard.press('/');
  await expect(page.getByTestId('search-input')).toBeFocused();
  await page.getByTestId('search-input').fill('e');
  const results = page.getByTestId('search-results');
  await expect(results.getByRole('listitem').first()).toBeVisible();
  await expect(results).toContainText('of the whole');
  await expect.poll(() => query(page).get('q')).toBe('e');
  await settled(page);
  expect(await page.evaluate(() => window.__cambium?.sectors.match.some((m) => m === 1))).toBe(true);
  await page.getByTestId('search-input').blur();
  await page.keyboard.press('n');
  await expect.poll(() => query(page).get('pin')).not.toBeNull();
  const first = query(page).get('pin');
  await page.keyboard.press('n');
  await expect.poll(() => query(page).get('pin')).not.toBe(first);
  await page.keyboard.press('N');
  await expect.poll(() => query(page).get('pin')).toBe(first);
  await page.keyboard.press('Enter');
  await expect.poll(() => query(page).get('steps')).toContain(`focus:${first}`);
});

test('an error of the query is said in words', async ({ page }) => {
  await openRing(page, { q: 'self<' });
  await expect(page.getByTestId('search-results').getByRole('alert')).not.toBeEmpty();
});

test('the palette has every command', async ({ page }) => {
  await openRing(page);
  await page.keyboard.press('Control+k');
  await page.getByTestId('palette-input').fill('recursion');
  await page.keyboard.press('Enter');
  await expect.poll(() => query(page).get('steps')).toContain('norec');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toContainText('Mouse');
});
