import { expect, test } from '@playwright/test';
import { address, openRing } from './page';

const FOLDED = 'main;parse;read 40\nmain;parse 10\nmain;write 50\n';

test('save SVG', async ({ page }) => {
  await openRing(page);
  await page.getByTestId('save-menu').click();
  const download = page.waitForEvent('download');
  await page.getByTestId('save-svg').click();
  expect((await download).suggestedFilename()).toMatch(/\.svg$/);
});

test('a chosen file is opened', async ({ page }) => {
  await page.goto(address());
  await page.getByTestId('open-file-input').setInputFiles({ name: 'chosen.folded', mimeType: 'text/plain', buffer: Buffer.from(FOLDED) });
  await expect(page.getByTestId('data-set-menu')).toContainText('chosen.folded');
  await expect(page.getByTestId('chart')).toBeVisible();
});

test('a dropped file is opened', async ({ page }) => {
  await page.goto(address());
  await expect(page.getByTestId('open-button')).toBeVisible();
  const data = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], 'dropped.folded'));
    return transfer;
  }, FOLDED);
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: data });
  await expect(page.getByText('Drop to open')).toBeVisible();
  await page.dispatchEvent('body', 'drop', { dataTransfer: data });
  await expect(page.getByTestId('data-set-menu')).toContainText('dropped.folded');
  await expect(page.getByTestId('chart')).toBeVisible();
});

test('a file that cannot be read says which and why', async ({ page }) => {
  await page.goto(address());
  await page.getByTestId('open-file-input').setInputFiles({ name: 'broken.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 1, 2, 255, 254, 3, 3, 3]) });
  await expect(page.getByTestId('error-state').or(page.getByTestId('upload-error'))).toContainText('broken.bin');
});

test('nothing opened: what can be opened, and samples', async ({ page }) => {
  // An empty list of data sets, as a stream of the Connect protocol: one empty message, the end.
  await page.route('**/cambium.v1.Workbench/WatchDataSets', (route) =>
    route.fulfill({ contentType: 'application/connect+proto', body: Buffer.from([0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 123, 125]) }),
  );
  await page.goto(address());
  const empty = page.getByTestId('empty-state');
  await expect(empty).toContainText('What can be opened');
  await expect(empty.locator('[data-testid^="sample-"]').first()).toBeVisible();
});

test('a lost server is said', async ({ page }) => {
  await page.route('**/cambium.v1.Workbench/*', (route) => route.abort());
  await page.goto(address());
  await expect(page.getByTestId('lost-state').getByRole('button', { name: 'Retry' })).toBeVisible();
});
