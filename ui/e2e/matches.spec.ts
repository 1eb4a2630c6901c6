// What matches in two traces: hovering, brushing, aligning, zooming and moving each half, sliders,
// and the same by keys.
import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Locator, type Page } from '@playwright/test';
import '../src/app/testHook';
import { compare, focus } from './compared';
import { address, query } from './page';
import { drawn } from './trace';

const PANEL = '3';

function chartOf(page: Page): Locator {
  return page.getByTestId(`matches-${PANEL}`);
}

/** Compares two recordings and shows their matches alone: few, as they are painted without a graphics card. */
async function matches(page: Page, state: Record<string, string> = {}): Promise<Locator> {
  await page.setViewportSize({ width: 900, height: 620 });
  await compare(page, state);
  const ds = query(page).get('ds') ?? '';
  await page.goto(address({ ...state, ds, w: `{~p~:[{~i~:~${PANEL}~,~v~:~matches~,~p~:{~most~:~60~}}]}` }));
  await drawn(page, PANEL);
  await expect(chartOf(page)).toBeVisible();
  return chartOf(page);
}

interface Call {
  side: number;
  id: number;
  /** In the window. */
  x: number;
  y: number;
  w: number;
}

/** The calls of both halves that have tubes, and how wide these are in their middle. */
async function picture(page: Page): Promise<{ calls: Call[]; tubes: { a: number; b: number; middle: number; bent: number }[]; spans: { from: number; to: number }[] }> {
  const at = await chartOf(page).boundingBox();
  if (!at) throw new Error('the chart is not there');
  return page.evaluate(({ left, top, panel }) => {
    const scene = window.__cambiumPictures?.(panel).scene;
    if (!scene) throw new Error('there is no picture');
    const { rects, tubes, source } = scene;
    const calls = [];
    for (let i = 0; i < rects.size; i++) {
      const side = rects.y[i] < source.height / 2 ? 0 : 1;
      const joined = [...(side === 0 ? tubes.a : tubes.b).subarray(0, tubes.size)].includes(rects.id[i]);
      if (joined) calls.push({ side, id: rects.id[i], x: left + rects.x[i] + rects.w[i] / 2, y: top + rects.y[i] + rects.h[i] / 2, w: rects.w[i] });
    }
    const list = [];
    for (let i = 0; i < tubes.size; i++) {
      const [first, end] = [tubes.first[i], tubes.first[i + 1]];
      const middle = Math.floor((first + end) / 2);
      // How far the middle is beside the straight line between the ends.
      const [dx, dy] = [tubes.x[end - 1] - tubes.x[first], tubes.y[end - 1] - tubes.y[first]];
      const bent = Math.abs(dx * (tubes.y[middle] - tubes.y[first]) - dy * (tubes.x[middle] - tubes.x[first])) / Math.hypot(dx, dy);
      list.push({ a: tubes.a[i], b: tubes.b[i], middle: tubes.w[middle] / Math.max(tubes.w[first], tubes.w[end - 1], 1e-6), bent });
    }
    return { calls, tubes: list, spans: scene.plots.map((p) => ({ from: p.across!.from, to: p.across!.to })) };
  }, { left: at.x, top: at.y, panel: PANEL });
}

/** A call of a side that is neither the outermost nor narrow. */
async function some(page: Page, side: number): Promise<Call> {
  const { calls } = await picture(page);
  const found = calls.filter((c) => c.side === side && c.w > 20 && c.w < 300).sort((p, q) => q.w - p.w)[0];
  if (!found) throw new Error('there is no such call');
  return found;
}

test('pointing tells of a call and of a match, and grays all other groups', async ({ page }) => {
  const chart = await matches(page);
  const call = await some(page, 0);
  await page.mouse.move(call.x, call.y);
  const tip = page.getByTestId('point-tip');
  await expect(tip).toContainText('most similar');
  await expect(chart).toHaveAttribute('data-brushed', `a${call.id}`);
  await expect(chart.locator('.overlay-mark').first()).toBeVisible();
  await expect(chart).toHaveAttribute('data-half', 'a');
  // In the middle of the picture there are tubes only.
  const box = (await chart.boundingBox())!;
  const middle = box.y + box.height / 2 + 2;
  for (let x = box.x + 20; x < box.x + box.width - 20; x += 8) {
    await page.mouse.move(x, middle);
    if (await tip.filter({ hasText: 'similarity' }).count()) break;
  }
  await expect(tip).toContainText('both call');
  await expect(chart).not.toHaveAttribute('data-brushed', /./);
  await expect(chart).toHaveAttribute('data-half', 'b');
});

test('a click brings what matches of the other trace opposite', async ({ page }) => {
  await matches(page);
  const call = await some(page, 0);
  await page.mouse.click(call.x, call.y);
  await expect.poll(() => focus(page).b).toBeTruthy();
  expect(focus(page).a).toBeUndefined();
  await drawn(page, PANEL);
  // The picture of the new focus has a call opposite that this one is joined with.
  await expect
    .poll(async () => {
      const { calls, tubes } = await picture(page);
      const partners = tubes.filter((t) => t.a === call.id).map((t) => t.b);
      return calls.some((c) => c.side === 1 && partners.includes(c.id) && Math.abs(c.x - call.x) < 3);
    })
    .toBe(true);
  await page.getByTestId('undo').click();
  await expect.poll(() => focus(page).b).toBeUndefined();
});

test('each half is zoomed and moved by itself', async ({ page }) => {
  const chart = await matches(page);
  const box = (await chart.boundingBox())!;
  const top = { x: box.x + box.width / 2, y: box.y + 50 };
  const bottom = { x: top.x, y: box.y + box.height - 50 };
  await page.mouse.move(top.x, top.y);
  await page.mouse.wheel(0, -300);
  await expect.poll(() => focus(page).a).toBeTruthy();
  expect(focus(page).b).toBeUndefined();
  const [from, to] = focus(page).a!;
  await page.mouse.down();
  await page.mouse.move(top.x + 120, top.y, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => focus(page).a![0]).toBeLessThan(from);
  expect(focus(page).a![1] - focus(page).a![0]).toBeCloseTo(to - from, -2);
  // A stretch of the other trace.
  await page.keyboard.down('Shift');
  await page.mouse.move(bottom.x, bottom.y);
  await page.mouse.down();
  await page.mouse.move(bottom.x + 200, bottom.y, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect.poll(() => focus(page).b).toBeTruthy();
  await expect.poll(async () => Math.abs((await picture(page)).spans[1].from - focus(page).b![0])).toBeLessThan(2);
  await page.mouse.dblclick(top.x, top.y);
  await expect.poll(() => focus(page).a).toBeUndefined();
  expect(focus(page).b).toBeTruthy();
});

test('sliders change tubes and bundles while they are moved', async ({ page }) => {
  await matches(page);
  const thumb = (name: string) => page.getByTestId(`slide-${name}`).getByRole('slider');
  const before = await picture(page);
  expect(before.tubes.some((t) => t.bent > 10)).toBe(true);
  await thumb('lambda').focus();
  await page.keyboard.press('End');
  await expect.poll(async () => Math.min(...(await picture(page)).tubes.map((t) => t.middle))).toBeGreaterThan(0.4);
  await thumb('strength').focus();
  await page.keyboard.press('Home');
  await expect.poll(async () => Math.max(...(await picture(page)).tubes.map((t) => t.bent))).toBeLessThan(0.1);
  const work = query(page).get('w') ?? '';
  expect(work).toContain('strength');
  expect(work).toContain('lambda');
});

test('one τ is for all charts of a comparison, and is chosen in one place', async ({ page }) => {
  test.slow();
  await matches(page);
  const ds = query(page).get('ds') ?? '';
  await page.goto(address({ ds, w: `{~p~:[{~i~:~1~,~v~:~overview~},{~i~:~${PANEL}~,~v~:~matches~,~p~:{~most~:~60~}}]}` }));
  await drawn(page, '1');
  await drawn(page, PANEL);
  await expect(page.getByTestId('tau')).toHaveCount(1);
  await page.getByTestId('tau').fill('0.9');
  await page.getByTestId('tau').blur();
  for (const panel of ['1', PANEL]) await expect(page.getByTestId(`foot-${panel}`)).toContainText('τ = 0.9');
  await expect(page.getByTestId('tau-slider').getByRole('slider')).toHaveAttribute('aria-valuenow', '0.9');
});

test('all of it by keys', async ({ page }) => {
  const chart = await matches(page);
  await chart.focus();
  await page.keyboard.press('ArrowDown');
  const tip = page.getByTestId('point-tip');
  await expect(tip).toContainText('most similar');
  await expect(chart.locator('.overlay-cursor')).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('+');
  await expect.poll(() => focus(page).a).toBeTruthy();
  const [from] = focus(page).a!;
  await page.keyboard.press('d');
  await expect.poll(() => focus(page).a![0]).toBeGreaterThan(from);
  await page.keyboard.press('0');
  await expect.poll(() => focus(page).a).toBeUndefined();
  // Down to a call of the other trace, to what it is most similar to.
  await drawn(page, PANEL);
  for (let i = 0; i < 200 && (await chart.getAttribute('data-half')) === 'a'; i++) await page.keyboard.press('ArrowDown');
  await expect(chart).toHaveAttribute('data-half', 'b');
  await page.keyboard.press('Escape');
  await expect(chart.locator('.overlay-cursor')).toHaveCount(0);
});

for (const theme of ['light', 'dark']) {
  test(`accessible in ${theme}`, async ({ page }) => {
    await matches(page, { theme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ')).join(', ')}`)).toEqual([]);
  });
}
