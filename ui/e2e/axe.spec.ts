import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { openRing } from './page';

for (const theme of ['light', 'dark']) {
  test(`axe finds nothing, ${theme}`, async ({ page }) => {
    await openRing(page, { theme, q: 'e', steps: 'norec' });
    await expect(page.getByTestId('details-name')).toBeVisible();
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog')).toBeVisible();
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await expect(page.getByTestId('palette-input')).toBeVisible();
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  });
}
