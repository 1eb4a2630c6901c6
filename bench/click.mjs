// Measures what a person waits for: from a click on a segment to the painted
// picture of its subtree, over random selections, in headless Chromium.
//
//   node bench/click.mjs ADDRESS [COUNT]
//
// ADDRESS is what `cambium open --no-browser FILE` prints. Motion is reduced,
// so that the time is that of the final picture, not of the transition to it.
import { createRequire } from 'node:module';
const { chromium } = createRequire(new URL('../ui/package.json', import.meta.url))('@playwright/test');

const [address, count = '100'] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--enable-unsafe-swiftshader', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
await page.goto(address);
await page.getByTestId('chart').waitFor({ timeout: 120_000 });
await page.waitForFunction(() => window.__cambium?.sectors);

// Small and reproducible; good enough to choose segments.
let seed = 12345;
const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;

const took = [];
while (took.length < Number(count)) {
  // The room of the chart changes when steps need a second line: as a person
  // would, let the page come to rest before the next click.
  await page.waitForTimeout(300);
  await page.waitForFunction(() => {
    const { width, height } = document.querySelector('[data-testid="chart"]').getBoundingClientRect();
    const { layout } = window.__cambium;
    return Math.abs(layout.width - width) < 1 && Math.abs(layout.height - height) < 1;
  });
  const chart = await page.getByTestId('chart').boundingBox();
  const target = await page.evaluate((r) => {
    const { sectors: s } = window.__cambium;
    const fit = [];
    for (let i = 0; i < s.size; i++) {
      const [r0, r1, a0, a1] = s.geometry.subarray(4 * i, 4 * i + 4);
      if (s.kind[i] === 0 && r0 > 0 && (a1 - a0) * r1 > 6) fit.push(i);
    }
    if (fit.length === 0) return null;
    const i = fit[Math.floor(r * fit.length)];
    const [r0, r1, a0, a1] = s.geometry.subarray(4 * i, 4 * i + 4);
    const [a, radius] = [(a0 + a1) / 2, (r0 + r1) / 2];
    return { id: s.id[i], x: s.cx + radius * Math.sin(a), y: s.cy - radius * Math.cos(a) };
  }, random());
  if (target === null || random() < 0.15) {
    await page.keyboard.press('0'); // back to the whole
    await page.waitForFunction(() => window.__cambium.layout.root === 0);
    if (target === null) continue;
    continue;
  }
  await page.evaluate((id) => {
    window.__took = new Promise((resolve) => {
      addEventListener('pointerup', () => {
        const start = performance.now();
        const look = () => {
          if (window.__cambium.layout.root !== id) return requestAnimationFrame(look);
          // The next frame after the one that drew it: it is on the screen.
          requestAnimationFrame(() => resolve(performance.now() - start));
        };
        look();
      }, { once: true, capture: true });
    });
  }, target.id);
  await page.mouse.click(chart.x + target.x, chart.y + target.y);
  took.push(await page.evaluate(() => window.__took));
}
await browser.close();
took.sort((a, b) => a - b);
console.log(`click to painted frame over ${took.length} selections: median ${took[took.length >> 1].toFixed(0)} ms, worst ${took.at(-1).toFixed(0)} ms`);
