// Switching between the values of a label.
import { fileURLToPath } from 'node:url';
import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { address, settled } from './page';

const LABELLED = fileURLToPath(new URL('../../samples/gowork.cpu.pb.gz', import.meta.url));

test('one value of a label, two, and all again', async ({ page }) => {
  await page.goto(address());
  await page.getByTestId('open-file-input').setInputFiles(LABELLED);
  await expect(page.getByTestId('data-set-menu')).toContainText('gowork', { timeout: 20_000 });
  await settled(page);
  const whole = await page.getByTestId('status-line').textContent();
  await page.getByTestId('facet-worker').click();
  const menu = page.getByRole('dialog', { name: 'worker' });
  await expect(menu).toContainText('All workers');
  const found = await new AxeBuilder({ page }).include('[role=dialog]').analyze();
  expect(found.violations.map((v) => `${v.id}: ${v.nodes[0]?.html}`)).toEqual([]);

  await menu.getByRole('button', { name: /^Only/ }).first().click();
  await expect(page.getByTestId('filter-chip')).toHaveCount(1);
  await settled(page);
  await expect(page.getByTestId('status-line')).not.toHaveText(whole ?? '');
  await expect(menu.getByRole('checkbox').first()).toBeChecked();

  await menu.getByRole('checkbox').nth(1).press('Space');
  await expect(page.getByTestId('filter-chip')).toHaveCount(1);
  await expect(menu).toContainText(/^2 of \d+ workers/);

  await menu.getByRole('button', { name: 'Show all' }).click();
  await expect(page.getByTestId('filter-chip')).toHaveCount(0);
  await settled(page);
  await expect(page.getByTestId('status-line')).toContainText(/contexts/);

  await menu.getByTestId('group-worker').click();
  await expect(page.getByTestId('data-set-menu')).toContainText('by worker', { timeout: 20_000 });
  await settled(page);
  await expect(page.getByRole('complementary', { name: 'Details' })).toContainText('worker 4');
  await page.getByTestId('facet-worker').click();
  await expect(menu).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(menu).toBeHidden();
});
