import { expect, test } from '@playwright/test';
import '../src/app/testHook';
import { centre, clickAt, openRing, query, settled, widest } from './page';

test('the ring is there, with what it leaves out', async ({ page }) => {
  const chart = await openRing(page);
  await expect(chart).toHaveAttribute('aria-label', /Arrow keys/);
  await expect(page.getByTestId('status-line')).toContainText(/contexts · .* drawn/);
  await expect(page.getByTestId('root-title')).not.toBeEmpty();
  expect(await page.evaluate(() => window.__cambium?.sectors.size ?? 0)).toBeGreaterThan(1);
});

test('click in and out, back and forward', async ({ page }) => {
  const chart = await openRing(page);
  const whole = await page.getByTestId('root-title').textContent();
  const segment = await widest(page);
  await clickAt(chart, segment);
  await expect.poll(() => query(page).get('steps')).toContain(`focus:${segment.id}`);
  await settled(page);
  await expect(page.getByTestId('root-title')).not.toHaveText(whole ?? '');
  await expect(page.getByTestId('steps')).toContainText('focus');
  await expect(page.getByTestId('crumb').first()).toBeVisible();
  await clickAt(chart, await centre(page));
  await expect(page.getByTestId('root-title')).toHaveText(whole ?? '');
  await page.goForward();
  await expect(page.getByTestId('root-title')).not.toHaveText(whole ?? '');
  await settled(page);
  await page.keyboard.press('0');
  await expect(page.getByTestId('root-title')).toHaveText(whole ?? '');
});

test('hover tells the name and its share; ctrl-click pins', async ({ page }) => {
  const chart = await openRing(page);
  const segment = await widest(page);
  await chart.hover({ position: { x: segment.x, y: segment.y } });
  await expect(page.getByTestId('tooltip')).toContainText('of the whole');
  await clickAt(chart, segment, ['Control']);
  await expect.poll(() => query(page).get('pin')).toBe(String(segment.id));
  await expect(page.getByRole('button', { name: 'Unpin' })).toBeVisible();
  await expect(page.getByTestId('details-name')).not.toBeEmpty();
  await page.keyboard.press('Escape');
  await expect.poll(() => query(page).get('pin')).toBeNull();
});

test('the wheel and the number change the depth', async ({ page }) => {
  const chart = await openRing(page);
  await page.getByTestId('depth-input').fill('3');
  await expect.poll(() => query(page).get('steps')).toContain('depth:3');
  await settled(page);
  await chart.hover({ position: await centre(page) });
  await page.mouse.wheel(0, 100);
  await expect.poll(() => query(page).get('steps')).toContain('depth:2');
  await settled(page);
  await page.mouse.wheel(0, -100);
  await expect.poll(() => query(page).get('steps')).toContain('depth:3');
});

test('the arrow keys walk, Enter goes in', async ({ page }) => {
  const chart = await openRing(page);
  await chart.focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByTestId('chart-spoken')).toContainText('of the whole');
  await page.keyboard.press('Enter');
  await expect.poll(() => query(page).get('steps')).toContain('focus:');
  await page.keyboard.press('Backspace');
  await expect.poll(() => query(page).get('steps') ?? '').not.toContain('focus:');
});

test('toggles', async ({ page }) => {
  await openRing(page);
  await page.getByTestId('norec').click();
  await expect.poll(() => query(page).get('steps')).toContain('norec');
  await page.keyboard.press('r');
  await expect.poll(() => query(page).get('steps') ?? '').not.toContain('norec');
  await page.getByTestId('bymethod').click();
  await expect.poll(() => query(page).get('steps')).toContain('bymethod');
  await settled(page);
  await page.getByRole('button', { name: /Remove the step per method/ }).click();
  await expect.poll(() => query(page).get('steps') ?? '').not.toContain('bymethod');
  await page.keyboard.press('c');
  await expect.poll(() => page.url()).toMatch(/p\.colou?r/);
});

test('reload restores', async ({ page }) => {
  const chart = await openRing(page);
  await clickAt(chart, await widest(page));
  await settled(page);
  await page.getByTestId('depth-input').fill('4');
  await settled(page);
  const title = await page.getByTestId('root-title').textContent();
  const before = page.url();
  await page.reload();
  await expect(page.getByTestId('root-title')).toHaveText(title ?? '');
  await expect(page.getByTestId('depth-input')).toHaveValue('4');
  expect(page.url()).toBe(before);
});

test('without WebGL2 the same picture comes from Canvas2D', async ({ page }) => {
  await openRing(page, { painter: 'canvas' });
  await expect(page.getByTestId('status-line')).toContainText('drawn without WebGL2');
});
