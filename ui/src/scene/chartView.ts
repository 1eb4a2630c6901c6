// The three layers of a chart: shapes (WebGL2 or Canvas2D), labels, outlines; and its motion.
import { CanvasPainter } from './canvas';
import type { DecodedScene } from './decode';
import { drawEdges, drawLabels, drawTexts, forgetWidths } from './labels';
import { drawOutlines, type Inks, type Marked } from './outlines';
import type { Painter } from './painter';
import { joinedDiscs } from './discs';
import { DURATION, ease, isStill, mix, startGeometry } from './transition';
import { WebglPainter } from './webgl';

const NOTHING: Marked = { hover: -1, pin: undefined, cursor: -1, pointed: undefined };

export class ChartView {
  private readonly host: HTMLElement;
  private painter: Painter;
  private shapes: HTMLCanvasElement;
  private readonly labels: CanvasRenderingContext2D;
  private readonly outlines: CanvasRenderingContext2D;
  private width = 1;
  private height = 1;
  private ratio = 1;
  private scene: DecodedScene | undefined;
  private start: Float32Array | undefined;
  /** What is drawn on the way is the scene before, whose discs come together. */
  private joining = false;
  private began = 0;
  private frame = 0;
  private marked = NOTHING;
  private inks: Inks = { line: '#000', under: '#fff', accent: '#0a0' };
  private disposed = false;

  constructor(host: HTMLElement, forceCanvas: boolean) {
    this.host = host;
    [this.painter, this.shapes] = this.makePainter(forceCanvas);
    this.labels = this.layer();
    this.outlines = this.layer();
    // Labels are measured with the page's own fonts; draw again when those have come.
    void document.fonts.ready.then(() => {
      forgetWidths();
      if (!this.disposed) this.drawStill();
    });
  }

  get painterName(): string {
    return this.painter.name;
  }

  private element(): HTMLCanvasElement {
    const canvas = document.createElement('canvas');
    canvas.className = 'layer';
    canvas.setAttribute('aria-hidden', 'true');
    return canvas;
  }

  private layer(): CanvasRenderingContext2D {
    const canvas = this.element();
    this.host.append(canvas);
    const context = canvas.getContext('2d');
    if (!context) throw new Error('no Canvas2D');
    return context;
  }

  private makePainter(forceCanvas: boolean): [Painter, HTMLCanvasElement] {
    if (!forceCanvas) {
      const canvas = this.element();
      try {
        const painter = new WebglPainter(canvas);
        canvas.addEventListener('webglcontextlost', this.fallBack, { once: true });
        this.host.prepend(canvas);
        return [painter, canvas];
      } catch (error) {
        console.warn('drawing without WebGL2:', error);
      }
    }
    const canvas = this.element();
    this.host.prepend(canvas);
    return [new CanvasPainter(canvas), canvas];
  }

  /** The graphics card took the context away: go on without it. */
  private readonly fallBack = () => {
    if (this.disposed) return;
    this.shapes.remove();
    [this.painter, this.shapes] = this.makePainter(true);
    this.painter.resize(this.width, this.height, this.ratio);
    if (this.scene) this.painter.setScene(this.scene, undefined);
    this.drawStill();
  };

  resize(width: number, height: number, ratio: number): void {
    if (width === this.width && height === this.height && ratio === this.ratio) return;
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    for (const { canvas } of [this.labels, this.outlines]) {
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
    }
    this.painter.resize(width, height, ratio);
    this.drawStill();
  }

  setInks(inks: Inks): void {
    this.inks = inks;
    this.drawOutlines();
  }

  /** Shows a scene, moving there from the one before if they have something in common. */
  show(scene: DecodedScene, move: boolean): void {
    const older = this.scene;
    const moving = older !== undefined && this.frame !== 0 && this.start !== undefined && !this.joining;
    let start: Float32Array | undefined;
    const sameSize = older?.source.width === scene.source.width && older.source.height === scene.source.height;
    if (older && move && sameSize && older.sectors.size > 0) {
      // Interrupted: go on from where the segments are at this moment.
      const now = moving && this.start ? mix(this.start, older.sectors.geometry, this.progress()) : older.sectors.geometry;
      start = startGeometry(older, scene, now);
      if (start && isStill(start, scene.sectors.geometry)) start = undefined;
    }
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const joined = older && start ? joinedDiscs(older, scene) : undefined;
    this.joining = joined !== undefined;
    this.scene = scene;
    this.start = start;
    this.marked = { ...this.marked, hover: -1, cursor: -1 };
    if (older && joined) this.painter.setScene(joined, older.sectors.geometry);
    else this.painter.setScene(scene, start);
    if (start) {
      this.began = performance.now();
      this.clear(this.labels);
      this.clear(this.outlines);
      this.frame = requestAnimationFrame(this.step);
      this.host.dataset.moving = 'yes';
      this.painter.draw(0);
    } else {
      this.drawStill();
    }
  }

  private progress(): number {
    return ease((performance.now() - this.began) / DURATION);
  }

  private readonly step = () => {
    const t = this.progress();
    if (t >= 1) {
      this.frame = 0;
      this.start = undefined;
      if (this.joining && this.scene) this.painter.setScene(this.scene, undefined);
      this.joining = false;
      this.drawStill();
      return;
    }
    this.painter.draw(t);
    this.frame = requestAnimationFrame(this.step);
  };

  get moving(): boolean {
    return this.frame !== 0;
  }

  mark(marked: Marked): void {
    this.marked = marked;
    if (!this.moving) this.drawOutlines();
  }

  private clear(context: CanvasRenderingContext2D): void {
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  }

  private drawStill(): void {
    const { scene } = this;
    if (!scene) return;
    delete this.host.dataset.moving;
    this.painter.draw(1);
    this.clear(this.labels);
    drawEdges(this.labels, scene, this.ratio);
    drawLabels(this.labels, scene, this.ratio);
    drawTexts(this.labels, scene, this.ratio);
    this.drawOutlines();
  }

  private drawOutlines(): void {
    this.clear(this.outlines);
    if (!this.scene) return;
    this.outlines.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    drawOutlines(this.outlines, this.scene, this.marked, this.inks);
  }

  dispose(): void {
    this.disposed = true;
    cancelAnimationFrame(this.frame);
    this.painter.dispose();
    this.host.replaceChildren();
  }
}
