// The timeline of a trace: zoomed, moved, pointed at and selected in.
import { fileURLToPath } from 'node:url';
import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { address } from './page';
import { drawn, shown } from './trace';

const LUA = fileURLToPath(new URL('../../match/testdata/lua-quicksort.trace.json.gz', import.meta.url));

/** Opens a trace, and leaves its timeline alone; where its calls are on the screen. */
async function openTimeline(page: Page, state: Record<string, string> = {}): Promise<{ x: number; y: number; w: number; h: number }> {
  await page.goto(address(state));
  await page.getByTestId('open-file-input').setInputFiles(LUA);
  await expect(page.getByTestId('data-set-menu')).toContainText('lua-quicksort', { timeout: 20_000 });
  await expect(page.getByTestId('chart')).toBeVisible({ timeout: 20_000 });
  await drawn(page, '2');
  await page.getByTestId('close-1').click();
  await expect(page.getByTestId('tab-1')).toHaveCount(0);
  await drawn(page, '2');
  // It has the room of the other one now.
  await expect.poll(async () => (await shown(page, '2')).plot!.w).toBeGreaterThan(800);
  const at = await page.getByTestId('plot-2').boundingBox();
  const plot = (await shown(page, '2')).plot!;
  return { x: at!.x + plot.x, y: at!.y + plot.y, w: plot.w, h: plot.h };
}

test('a timeline zooms to single calls and back', async ({ page }) => {
  const plot = await openTimeline(page);
  const whole = (await shown(page, '2')).across!;
  expect(whole.from).toBe(0);
  expect(whole.to).toBe(7_828_961);
  // Around the pointer, along time alone.
  await page.mouse.move(plot.x + plot.w * 0.75, plot.y + 60);
  await page.keyboard.down('Shift');
  for (let i = 0; i < 12; i++) await page.mouse.wheel(0, -240);
  await page.keyboard.up('Shift');
  await expect.poll(async () => { const a = (await shown(page, '2')).across!; return a.to - a.from; }).toBeLessThan(whole.to / 50);
  await drawn(page, '2');
  const part = (await shown(page, '2')).across!;
  expect(part.from).toBeLessThan(whole.to * 0.75);
  expect(part.to).toBeGreaterThan(whole.to * 0.75);
  const before = await page.evaluate(() => location.href);
  await page.reload();
  await drawn(page, '2');
  expect((await shown(page, '2')).across).toEqual(part);
  expect(await page.evaluate(() => location.href)).toBe(before);
  // With the keyboard it moves, and shows all again.
  await page.getByTestId('plot-2').focus();
  await page.keyboard.press('d');
  await expect.poll(async () => (await shown(page, '2')).across!.from).toBeGreaterThan(part.from);
  await page.keyboard.press('0');
  await expect.poll(async () => (await shown(page, '2')).across!.to).toBe(whole.to);
});

test('a call says what it is, a click selects its method, a rectangle a time', async ({ page }) => {
  const plot = await openTimeline(page);
  // The first line names the thread, the second one is main.
  const line = Math.min(20, plot.h / (await shown(page, '2')).up!.max);
  await page.mouse.move(plot.x + plot.w / 2, plot.y + line * 1.5);
  const tip = page.getByTestId('point-tip');
  await expect(tip).toContainText('main');
  await expect(tip).toContainText('7.83 ms');
  await page.mouse.click(plot.x + plot.w / 2, plot.y + line * 1.5);
  await expect(page.getByTestId('selection-words')).toContainText('main');
  await expect.poll(async () => (await shown(page, '2')).matched).toBe(1);
  await page.mouse.move(plot.x + plot.w * 0.25, plot.y + line * 3);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.w * 0.4, plot.y + line * 4);
  await page.mouse.move(plot.x + plot.w * 0.5, plot.y + line * 5);
  await page.mouse.up();
  await expect(page.getByTestId('selection-words')).toContainText('Start');
  await page.getByTestId('filter-to').click();
  await drawn(page, '2');
  await expect.poll(async () => (await shown(page, '2')).matched).toBe(-1);
});

test('axe finds nothing in a timeline', async ({ page }) => {
  await openTimeline(page, { theme: 'dark' });
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
});
