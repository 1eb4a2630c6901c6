// What the specs have in common.
import { expect, type Locator, type Page } from '@playwright/test';

/** The page's address with a query; what CAMBIUM_URL's own query says stays. */
export function address(query: Record<string, string> = {}): string {
  const base = process.env.CAMBIUM_URL;
  if (!base) throw new Error('CAMBIUM_URL is not set: the address of the page, with its token');
  const url = new URL(base);
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
  return url.href;
}

/** The state that the address tells. */
export function query(page: Page): URLSearchParams {
  return new URL(page.url()).searchParams;
}

/** Opens the page with a picture: of the first data set that the server has, or else of its first sample. */
export async function openRing(page: Page, state: Record<string, string> = {}): Promise<Locator> {
  await page.goto(address({ ds: 'd1', ...state }));
  const chart = page.getByTestId('chart');
  const empty = page.getByTestId('empty-state');
  await expect(chart.or(empty)).toBeVisible({ timeout: 20_000 });
  if (await empty.isVisible()) await page.locator('[data-testid^="sample-"]').first().click();
  await expect(chart).toBeVisible({ timeout: 20_000 });
  await settled(page);
  return chart;
}

/** Waits for the picture that was asked for, and for its movement to end. */
export async function settled(page: Page): Promise<void> {
  await expect(page.getByTestId('status-line')).not.toContainText('drawing …');
  await expect(page.locator('.layers[data-moving]')).toHaveCount(0);
}

export interface Segment {
  id: number;
  x: number;
  y: number;
}

/** The widest segment of the first layer, and where it is on the screen. */
export async function widest(page: Page): Promise<Segment> {
  const found = await page.evaluate(() => {
    const hook = window.__cambium;
    if (!hook) return undefined;
    const { sectors } = hook;
    const { root } = hook.layout as { root: number };
    const g = sectors.geometry;
    let inner = Infinity;
    for (let i = 0; i < sectors.size; i++) {
      if (sectors.kind[i] === 0 && sectors.id[i] !== root) inner = Math.min(inner, g[i * 4]);
    }
    let best = -1;
    for (let i = 0; i < sectors.size; i++) {
      if (sectors.kind[i] !== 0 || sectors.id[i] === root || g[i * 4] > inner + 0.5) continue;
      if (best < 0 || g[i * 4 + 3] - g[i * 4 + 2] > g[best * 4 + 3] - g[best * 4 + 2]) best = i;
    }
    if (best < 0) return undefined;
    const r = (g[best * 4] + g[best * 4 + 1]) / 2;
    const a = (g[best * 4 + 2] + g[best * 4 + 3]) / 2;
    return { id: sectors.id[best], x: sectors.cx + Math.sin(a) * r, y: sectors.cy - Math.cos(a) * r };
  });
  if (!found) throw new Error('there is no segment');
  return found;
}

/** The centre of the chart. */
export async function centre(page: Page): Promise<{ x: number; y: number }> {
  const found = await page.evaluate(() => window.__cambium && { x: window.__cambium.sectors.cx, y: window.__cambium.sectors.cy });
  if (!found) throw new Error('there is no picture');
  return found;
}

export async function clickAt(chart: Locator, at: { x: number; y: number }, modifiers: ('Control' | 'Shift')[] = []): Promise<void> {
  await chart.click({ position: { x: at.x, y: at.y }, modifiers });
}
