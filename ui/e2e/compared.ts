// What the specs of comparisons have in common: two recordings, compared.
import { fileURLToPath } from 'node:url';
import { expect, type Page } from '@playwright/test';
import { address, query } from './page';
import { drawn } from './trace';

const recorded = (name: string) => fileURLToPath(new URL(`../../match/testdata/${name}.trace.json.gz`, import.meta.url));
export const QUICK = recorded('lua-quicksort');
export const AGAIN = recorded('lua-quicksort-again');
export const HEAP = recorded('lua-heapsort');

export const nameOf = (file: string) => file.slice(file.lastIndexOf('/') + 1);

/** Shows a data set that an earlier test opened; false if none did. */
export async function shows(page: Page, name: string): Promise<boolean> {
  const menu = page.getByTestId('data-set-menu');
  await expect(page.getByTestId('chart').or(page.getByTestId('dock')).or(page.getByTestId('empty-state')).first()).toBeVisible({ timeout: 20_000 });
  if (await menu.isDisabled()) return false;
  await menu.click();
  const item = page.getByRole('menuitem').filter({ hasText: new RegExp(`^(● )?${name.replaceAll('.', '\\.')}ready$`) });
  const there = (await item.count()) > 0;
  if (there) await item.first().click();
  else await page.keyboard.press('Escape');
  return there;
}

export async function open(page: Page, ...files: string[]): Promise<void> {
  for (const file of files) {
    if (!(await shows(page, nameOf(file)))) await page.getByTestId('open-file-input').setInputFiles(file);
    await expect(page.getByTestId('data-set-menu')).toContainText(nameOf(file), { timeout: 20_000 });
  }
}

/** Opens two recordings and compares the second with the first. */
export async function compare(page: Page, state: Record<string, string> = {}): Promise<void> {
  await page.goto(address(state));
  const name = `${nameOf(HEAP)} compared with ${nameOf(QUICK)}`;
  if (!(await shows(page, name))) {
    await open(page, QUICK, HEAP);
    await page.getByTestId('compare-menu').click();
    await page.getByRole('menuitem', { name: nameOf(QUICK) }).click();
  }
  await expect(page.getByTestId('data-set-menu')).toContainText(name);
  await alone(page);
  await drawn(page, '2');
}

/** Closes what is below the overview and the list beside it: without a graphics card it takes its time, and has tests of its own. */
export async function alone(page: Page): Promise<void> {
  await page.getByTestId('close-3').click({ timeout: 20_000 });
  await expect(page.getByTestId('tab-3')).toHaveCount(0);
  await drawn(page, '1');
}

/** The focus of both sides, as the address has it. */
export function focus(page: Page): { a?: [number, number]; b?: [number, number] } {
  const work = (query(page).get('w') ?? '').replaceAll('~', '"');
  return (JSON.parse(work.slice(work.indexOf('{')) || '{}') as { c?: ReturnType<typeof focus> }).c ?? {};
}
