// What the specs of linked charts have in common: traces without calling contexts, and what
// panels show of them.
import { fileURLToPath } from 'node:url';
import { expect, type Locator, type Page } from '@playwright/test';
import '../src/app/testHook';
import { address } from './page';

const testdata = (name: string) => fileURLToPath(new URL(`../../source/evolve/testdata/${name}`, import.meta.url));
export const HELLO = testdata('hello.evolve.txt.gz');
export const OTHER = testdata('xalan-cut.evolve.txt.gz');

/** Opens a trace and waits for the charts that it begins with: bars (1) and hot spots (2). */
export async function openTrace(page: Page, file = HELLO): Promise<void> {
  await page.goto(address());
  await choose(page, file);
}

/** Opens a file in the page there is. */
export async function choose(page: Page, file: string): Promise<void> {
  await page.getByTestId('open-file-input').setInputFiles(file);
  await expect(page.getByTestId('data-set-menu')).toContainText(file.slice(file.lastIndexOf('/') + 1), { timeout: 20_000 });
  await drawn(page, '1');
  await drawn(page, '2');
}

/** Waits until a panel's picture is the one that is wanted. */
export async function drawn(page: Page, panel: string): Promise<void> {
  await expect(page.locator(`[data-testid=panel-${panel}][data-final]`)).toBeVisible({ timeout: 20_000 });
}

export async function add(page: Page, view: string): Promise<void> {
  await page.getByTestId('add-chart').first().click();
  await page.getByTestId(`add-${view}`).click();
}

export interface Shown {
  fills: number[];
  /** Of rectangles: how many are selected; −1 without a selection. */
  matched: number;
  rasters: number;
  rows: { name: string; selected: boolean; color: number }[];
  total: number;
  across: { from: number; to: number; max: number; name: string } | undefined;
  up: { from: number; to: number; max: number; name: string } | undefined;
  plot: { x: number; y: number; w: number; h: number } | undefined;
}

/** What a panel shows. */
export async function shown(page: Page, panel: string): Promise<Shown> {
  return page.evaluate((id) => {
    const scene = window.__cambiumPictures?.(id).scene;
    if (!scene) throw new Error(`panel ${id} shows nothing`);
    const plot = scene.plots[0];
    const axis = (a: { from: number; to: number; max: number; name: string } | undefined) => a && { from: a.from, to: a.to, max: a.max, name: a.name };
    const { match, fill, size } = scene.rects;
    return {
      fills: [...new Set(fill.slice(0, size))],
      matched: match.length === 0 ? -1 : match.reduce((n, m) => n + (m === 0 ? 0 : 1), 0),
      rasters: scene.rasters.length,
      rows: (scene.source.table?.rows ?? []).map((r) => ({ name: r.cells[0], selected: r.selected, color: r.color })),
      total: Number(scene.source.table?.total ?? 0),
      across: axis(plot?.across),
      up: axis(plot?.up),
      plot: plot && { x: plot.x, y: plot.y, w: plot.w, h: plot.h },
    };
  }, panel);
}

/** Drags over some of the rows of a plot, counted from the top. */
export async function dragRows(page: Page, panel: string, from: number, to: number, keys: ('Shift' | 'Alt' | 'Control')[] = []): Promise<void> {
  const { plot, up } = await shown(page, panel);
  if (!plot || !up) throw new Error('there is no plot');
  const chart: Locator = page.getByTestId(`plot-${panel}`);
  const box = await chart.boundingBox();
  if (!box) throw new Error('the chart is not seen');
  const one = plot.h / (up.to - up.from);
  const y = (row: number) => box.y + plot.y + (row - up.from + 0.5) * one;
  const x = box.x + plot.x;
  for (const key of keys) await page.keyboard.down(key);
  await page.mouse.move(x + plot.w * 0.2, y(from));
  await page.mouse.down();
  await page.mouse.move(x + plot.w * 0.5, y((from + to) / 2));
  await page.mouse.move(x + plot.w * 0.7, y(to));
  await page.mouse.up();
  for (const key of keys) await page.keyboard.up(key);
}
