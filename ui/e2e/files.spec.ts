import { readFileSync } from 'node:fs';
import { expect, test, type Route } from '@playwright/test';
import { address, openRing } from './page';

const FOLDED = 'main;parse;read 40\nmain;parse 10\nmain;write 50\n';

const SAVED: readonly [string, (content: Buffer) => void][] = [
  ['svg', (content) => expect(content.toString()).toMatch(/^<svg [^]*class="labels"[^]*<\/svg>\n$/)],
  ['png', (content) => expect([...content.subarray(0, 8)]).toEqual([137, 80, 78, 71, 13, 10, 26, 10])],
  ['csv', (content) => expect(content.toString().split('\n', 1)[0]).toMatch(/^id,.*name/i)],
];
for (const [format, check] of SAVED) {
  test(`save ${format}`, async ({ page }) => {
    await openRing(page, { steps: 'norec' });
    await page.getByTestId('save-menu').click();
    const download = page.waitForEvent('download');
    await page.getByTestId(`save-${format}`).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toMatch(new RegExp(`\\.${format}$`));
    check(readFileSync(await saved.path()));
  });
}

test('a file on its way says how far it is, and can be stopped', async ({ page }) => {
  await openRing(page);
  const held: Route[] = [];
  await page.route('**/upload?*', (route) => void held.push(route));
  const file = { name: 'slow.folded', mimeType: 'text/plain', buffer: Buffer.from(FOLDED) };
  await page.getByTestId('open-file-input').setInputFiles(file);
  const banner = page.getByTestId('sending-banner');
  await expect(banner).toContainText(/slow\.folded .*% of 47.B/);
  await expect(banner.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '0');
  await banner.getByRole('button', { name: 'Cancel' }).click();
  await expect(banner).toBeHidden();
  await expect.poll(() => held.length).toBe(1);
  await page.getByTestId('open-file-input').setInputFiles(file);
  await expect.poll(() => held.length).toBe(2);
  await held[1].continue();
  await expect(banner).toBeHidden();
  await expect(page.getByTestId('data-set-menu')).toContainText('slow.folded');
});

test('a failed file hides none that can be drawn, and is told', async ({ page }) => {
  await page.goto(address({ ds: 'd1' }));
  await page.getByTestId('open-file-input').setInputFiles({ name: 'newest.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 1, 2, 255, 254]) });
  await expect(page.getByTestId('error-state')).toContainText('newest.bin');
  await page.goto(address());
  await expect(page.getByTestId('chart')).toBeVisible();
  const banner = page.getByTestId('failed-banner');
  await expect(banner).toContainText('newest.bin');
  await banner.getByRole('button', { name: 'Show why' }).click();
  await expect(page.getByTestId('error-state')).toContainText('newest.bin');
  await expect(banner).toBeHidden();
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
