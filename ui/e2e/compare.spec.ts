// Two traces compared: the overview, its focus, what lights up, and what only one run did.
import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import '../src/app/testHook';
import { AGAIN, alone, compare, focus, nameOf, open } from './compared';
import { drawn } from './trace';

interface Place {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Where on the screen the sides of the overview are, and the widest call of each that only its run has. */
async function sides(page: Page): Promise<{ plots: Place[]; alone: Place[] }> {
  const plot = page.getByTestId('plot-1');
  // A picture is wanted in a new size a moment after its room has it.
  await expect.poll(async () => Math.abs(((await plot.boundingBox())?.height ?? 0) - (await page.evaluate(() => window.__cambiumPictures?.('1').scene?.source.height ?? -9)))).toBeLessThan(2);
  const at = await plot.boundingBox();
  if (!at) throw new Error('the overview is not there');
  return page.evaluate(({ left, top }) => {
    const scene = window.__cambiumPictures?.('1').scene;
    if (!scene) throw new Error('the overview shows nothing');
    const own = scene.source.legend?.entries.find((e) => e.label === 'in one trace only')?.color;
    const { x, y, w, h, fill, size } = scene.rects;
    const plots = scene.plots.map((p) => ({ x: left + p.x, y: top + p.y, w: p.w, h: p.h }));
    const alone = scene.plots.map((p) => {
      let best = -1;
      for (let i = 0; i < size; i++) if (fill[i] === own && y[i] >= p.y && y[i] < p.y + p.h && (best < 0 || w[i] > w[best])) best = i;
      return best < 0 ? { x: 0, y: 0, w: 0, h: 0 } : { x: left + x[best], y: top + y[best], w: w[best], h: h[best] };
    });
    return { plots, alone };
  }, { left: at.x, top: at.y });
}

test('what only one run did comes first, and a click goes there in both', async ({ page }) => {
  await compare(page);
  const rows = page.getByTestId('table-2').getByRole('row');
  await expect(rows.nth(1)).toContainText('B heap_sort');
  await expect(rows.nth(2)).toContainText('B heap_sift');
  await expect(rows.nth(3)).toContainText('B no match from sort on');
  await expect(rows.nth(4)).toContainText('A auxsort');
  await rows.nth(1).click();
  await expect(page.getByTestId('focus-1')).toBeVisible();
  await expect(page.getByTestId('focus-0')).toBeVisible();
  await expect.poll(() => focus(page).b).toBeTruthy();
  // The call is in the focus of B, and what the other run did instead in that of A.
  const { a, b } = focus(page);
  expect(b![1] - b![0]).toBeLessThan(10_000_000);
  expect(a![1]).toBeGreaterThan(4_400_000); // when auxsort begins
  expect(a![0]).toBeLessThan(4_500_000);
  await page.getByTestId('undo').click();
  await expect(page.getByTestId('focus-1')).toHaveCount(0);
});

test('pointing at a call turns the bars blue that hold its matches', async ({ page }) => {
  await compare(page);
  const { plots, alone: own } = await sides(page);
  // What only B calls matches nothing in A.
  await page.mouse.move(own[1].x + own[1].w / 2, own[1].y + own[1].h / 2);
  const tip = page.getByTestId('point-tip');
  await expect(tip).toContainText('heap_s');
  await expect(tip).toContainText('does not call this');
  // The outermost call of A is main: it and all within it match nearly everywhere.
  const [a, b] = plots;
  const base = a.y + a.h * 0.45;
  await page.mouse.move(a.x + a.w / 2, base + 0.5);
  await expect(tip).toContainText('main');
  const marks = page.getByTestId('plot-1').locator('.overlay-mark');
  const [holding, all] = ((await tip.textContent()) ?? '').match(/match(\d+) of (\d+) bars there/)!.slice(1).map(Number);
  expect(holding).toBeGreaterThan(all / 2);
  await expect(marks).toHaveCount(holding);
  for (const box of await Promise.all([marks.first(), marks.last()].map((m) => m.boundingBox()))) {
    expect(box!.y).toBeGreaterThanOrEqual(b.y - 1);
    expect(box!.y + box!.height).toBeLessThanOrEqual(b.y + b.h + 1);
  }
  // A bar says what it sums up.
  await page.mouse.move(a.x + a.w / 2, a.y + a.h * 0.4);
  await expect(tip).toContainText('similarity, in all');
  await expect(marks).toHaveCount(0);
});

test('a focus is drawn, moved, stretched, kept in the address, and taken away', async ({ page }) => {
  await compare(page);
  const { plots } = await sides(page);
  const [a, b] = plots;
  const y = a.y + 20;
  const drag = async (from: number, to: number, at = y) => {
    await page.mouse.move(from, at);
    await page.mouse.down();
    await page.mouse.move((from + to) / 2, at + 5);
    await page.mouse.move(to, at);
    await page.mouse.up();
  };
  await drag(a.x + a.w * 0.25, a.x + a.w * 0.5);
  await expect(page.getByTestId('focus-0')).toBeVisible();
  await expect.poll(() => focus(page).a).toBeTruthy();
  const first = focus(page).a!;
  const length = first[1] - first[0];
  expect(first[0] / length).toBeCloseTo(1, 1);
  expect(focus(page).b).toBeUndefined();
  // From its middle it is moved, from its edge it is stretched.
  await drag(a.x + a.w * 0.375, a.x + a.w * 0.475);
  await expect.poll(() => focus(page).a![0]).toBeGreaterThan(first[0] + length / 4);
  const moved = focus(page).a!;
  expect(Math.abs(moved[1] - moved[0] - length)).toBeLessThan(length / 100);
  await drag(a.x + a.w * 0.6, a.x + a.w * 0.8);
  await expect.poll(() => focus(page).a![1]).toBeGreaterThan(moved[1] + length / 4);
  expect(focus(page).a![0]).toBe(moved[0]);
  // The other side has its own.
  await drag(b.x + b.w * 0.1, b.x + b.w * 0.2, b.y + b.h - 20);
  await expect.poll(() => focus(page).b).toBeTruthy();
  const now = focus(page);
  await page.reload();
  await drawn(page, '1');
  await expect(page.getByTestId('focus-0')).toBeVisible();
  expect(focus(page)).toEqual(now);
  await page.getByTestId('unfocus-0').click();
  await expect(page.getByTestId('focus-0')).toHaveCount(0);
  await expect(page.getByTestId('focus-1')).toBeVisible();
  await page.mouse.dblclick(b.x + b.w * 0.5, b.y + b.h - 20);
  await expect(page.getByTestId('focus-1')).toHaveCount(0);
});

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, testId: string): Promise<void> {
  const there = () => page.evaluate(() => document.activeElement?.getAttribute('data-testid'));
  for (let i = 0; i < 150 && (await there()) !== testId; i++) await page.keyboard.press('Tab');
  expect(await there()).toBe(testId);
}

test('the focus is drawn, moved and stretched by the keyboard alone', async ({ page }) => {
  await compare(page);
  await tabTo(page, 'focus-strip-0');
  const a = page.getByRole('slider', { name: 'Focus in A' });
  await expect(a).toBeFocused();
  await expect(a).toHaveAttribute('aria-valuetext', 'all of the trace');
  await page.keyboard.press('Enter');
  await expect.poll(() => focus(page).a).toBeTruthy();
  const first = focus(page).a!;
  const length = first[1] - first[0];
  await expect(a).toHaveAttribute('aria-valuetext', /s to .*s$/);
  await expect(page.getByTestId('focus-0')).toBeVisible();
  // The picture has it, too: what is outside is dimmed, the window has a frame.
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  await expect.poll(() => focus(page).a![1]).toBeGreaterThan(first[1] + length * 0.2);
  expect(focus(page).a![0]).toBe(first[0]);
  await page.keyboard.press('Shift+ArrowLeft');
  await page.keyboard.press('Home');
  await expect.poll(() => focus(page).a![0]).toBe(0);
  await page.keyboard.press('PageDown');
  await expect.poll(() => focus(page).a![0]).toBeGreaterThan(length);
  // The other side has its own, and is the next stop.
  await page.keyboard.press('Tab');
  await expect(page.getByRole('slider', { name: 'Focus in B' })).toBeFocused();
  expect(focus(page).b).toBeUndefined();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => focus(page).b).toBeTruthy();
  const now = focus(page).a;
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('focus-1')).toHaveCount(0);
  expect(focus(page)).toEqual({ a: now });
  // Without a window, Escape is again the page's.
  await page.keyboard.press('Escape');
  expect(focus(page)).toEqual({ a: now });
});

test('a click on a call selects its method, τ decides what matches', async ({ page }) => {
  await compare(page);
  const { plots } = await sides(page);
  await page.mouse.click(plots[0].x + plots[0].w / 2, plots[0].y + plots[0].h * 0.45 + 0.5);
  await expect(page.getByTestId('selection-words')).toContainText('main');
  await expect(page.getByTestId('foot-1')).toContainText('τ = 0.2');
  const before = await page.getByTestId('foot-1').textContent();
  await page.getByTestId('tau').fill('0.9');
  await page.getByTestId('tau').blur();
  await expect(page.getByTestId('foot-1')).toContainText('τ = 0.9');
  expect(await page.getByTestId('foot-1').textContent()).not.toBe(before);
  await page.getByTestId('undo').click();
  await expect(page.getByTestId('foot-1')).toContainText('τ = 0.2');
});

test('of more runs, one is chosen from a strip', async ({ page }) => {
  await compare(page);
  await expect(page.getByTestId('runs')).toHaveCount(0);
  await expect(page.getByTestId('compare-menu')).toBeDisabled();
  await open(page, AGAIN);
  await page.getByTestId('compare-menu').click();
  await page.getByTestId('compare-all').click();
  await expect(page.getByTestId('data-set-menu')).toContainText(`2 runs compared with ${nameOf(AGAIN)}`);
  await alone(page);
  const runs = page.getByTestId('runs');
  await runs.getByRole('radio', { name: /lua-heapsort/ }).click();
  await expect(page.getByTestId('table-2').getByRole('row').nth(1)).toContainText('heap_sort');
  await runs.getByRole('radio', { name: /lua-quicksort/ }).click();
  await expect(page.getByTestId('foot-2')).toContainText('both runs call the same methods');
  await expect(runs.getByRole('radio', { name: /lua-quicksort/ })).toBeChecked();
});

for (const theme of ['light', 'dark']) {
  test(`axe finds nothing in a comparison, ${theme}`, async ({ page }) => {
    await compare(page, { theme });
    await expect(page.getByLabel('Legend').first()).toBeVisible();
    const hidden = await page.getByLabel('Legend').evaluateAll((all) => all.map((e) => e.scrollWidth - e.clientWidth));
    expect(Math.max(...hidden)).toBeLessThanOrEqual(0);
    await page.getByTestId('table-2').getByRole('row').nth(1).click();
    await expect(page.getByTestId('focus-1')).toBeVisible();
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  });
}
