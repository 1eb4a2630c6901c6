// Paints tubes with WebGL2: each piece of a curve is an instance of one quad, whose corners are
// beside the curve; the luminance across it is computed per pixel. Where there is no WebGL2, bands
// over each other do.
import * as twgl from 'twgl.js';
import { css, floats } from './colour';
import { BORDER, shade, type TubeTable } from './tubes';

const WIDTH = 1024; // of the texture of colours

const VERTEX = `#version 300 es
precision highp float;
precision highp int;
in vec4 p0;   // x, y, how wide, tube
in vec4 p1;
uniform highp sampler2D colours;
uniform highp sampler2D shines;
uniform vec2 size;
uniform float pixel;   // of the screen, in the picture's
out float place;       // x, in pixels of the screen
out float middle;      // x of the curve at this height
out float half_;       // half of the tube's width there
out float across;      // of a line: how far beside its middle
flat out float thin;   // half of a line; 0 of what is none
flat out vec4 fill;
flat out float shine;
void main() {
  int tube = int(p0.w);
  ivec2 texel = ivec2(tube % ${WIDTH}, tube / ${WIDTH});
  fill = texelFetch(colours, texel, 0);
  shine = texelFetch(shines, texel, 0).x;
  float side = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;
  vec4 p = gl_VertexID > 1 ? p1 : p0;
  vec2 along = p1.xy - p0.xy;
  float length_ = length(along);
  vec2 normal = length_ > 0.0 ? vec2(along.y, -along.x) / length_ : vec2(1.0, 0.0);
  if (normal.x < 0.0) normal = -normal;
  // How thick it is across the curve: where that runs flat, a tube is thin, however wide.
  float thick = max(p0.z, p1.z) * normal.x / pixel;
  half_ = p.z * 0.5 / pixel;
  middle = p.x / pixel;
  vec2 at;
  if (thick >= 1.5) {
    // The borders are beside the curve, so that pieces meet without a gap; a pixel more, to fade out.
    at = p.xy + vec2(side * (half_ + 1.0) * pixel, 0.0);
    thin = 0.0;
    across = 0.0;
  } else {
    thin = max(thick * 0.5, 0.5);
    across = side * (thin + 1.0);
    at = p.xy + across * pixel * normal;
  }
  place = at.x / pixel;
  vec2 clip = at / size * 2.0 - 1.0;
  gl_Position = p0.w != p1.w || length_ == 0.0 ? vec4(2.0, 2.0, 0.0, 1.0) : vec4(clip.x, -clip.y, 0.0, 1.0);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in float place;
in float middle;
in float half_;
in float across;
flat in float thin;
flat in vec4 fill;
flat in float shine;
out vec4 colour;
void main() {
  float beside = abs(place - middle);
  float off = thin == 0.0 ? min(beside / max(half_, 0.5), 1.0) : half_ == 0.0 ? 0.0 : 0.6;
  float cover = thin == 0.0 ? half_ - beside + 0.5 : thin + 0.5 - abs(across);
  float round_ = 1.0 - off * off;
  vec3 c = fill.rgb * (${BORDER.toFixed(2)} + ${(1 - BORDER).toFixed(2)} * round_);
  float r4 = round_ * round_ * round_ * round_;
  c = mix(c, vec3(1.0), shine * r4 * r4 * r4);
  float a = fill.a * clamp(cover, 0.0, 1.0);
  colour = vec4(c * a, a);
}`;

export class TubePainter {
  readonly name: 'webgl' | 'canvas';
  private readonly canvas: HTMLCanvasElement;
  private readonly gl: WebGL2RenderingContext | undefined;
  private readonly program: twgl.ProgramInfo | undefined;
  private readonly vao: WebGLVertexArrayObject | undefined;
  private readonly points: WebGLBuffer | undefined;
  private colours: WebGLTexture | undefined;
  private shines: WebGLTexture | undefined;
  private table: TubeTable | undefined;
  private painted: Uint32Array | undefined;

  /** Paints into a canvas that nobody else paints into; onLost is called if the graphics card takes its memory back. */
  constructor(canvas: HTMLCanvasElement, forceCanvas: boolean, onLost: () => void) {
    this.canvas = canvas;
    this.name = 'canvas';
    const gl = forceCanvas ? null : canvas.getContext('webgl2', { antialias: false, alpha: false, depth: false });
    if (!gl) return;
    const program = twgl.createProgramInfo(gl, [VERTEX, FRAGMENT], (message) => console.error(message));
    if (!program?.program) return;
    this.name = 'webgl';
    this.gl = gl;
    this.program = program;
    this.points = gl.createBuffer();
    this.vao = gl.createVertexArray();
    gl.bindVertexArray(this.vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.points);
    for (const [name, offset] of [['p0', 0], ['p1', 16]] as const) {
      const at = gl.getAttribLocation(program.program, name);
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, 4, gl.FLOAT, false, 16, offset);
      gl.vertexAttribDivisor(at, 1);
    }
    gl.bindVertexArray(null);
    canvas.addEventListener('webglcontextlost', onLost, { once: true });
  }

  /** Paints tubes on a background; ratio is how many pixels of the screen one of the picture's is. */
  paint(table: TubeTable, colours: Uint32Array, background: number, width: number, height: number, ratio: number): void {
    const { gl, canvas, program } = this;
    const w = Math.max(1, Math.round(width * ratio));
    const h = Math.max(1, Math.round(height * ratio));
    if (canvas.width !== w) canvas.width = w;
    if (canvas.height !== h) canvas.height = h;
    if (!gl || !program) {
      const context = canvas.getContext('2d', { alpha: false });
      if (!context) return;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.fillStyle = css(background);
      context.fillRect(0, 0, width, height);
      paintBands(context, table, colours);
      return;
    }
    const [r, g, b] = floats(background);
    gl.viewport(0, 0, w, h);
    gl.clearColor(r, g, b, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (table.size === 0) return;
    this.upload(table, colours);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(program.program);
    gl.bindVertexArray(this.vao ?? null);
    twgl.setUniforms(program, { colours: this.colours, shines: this.shines, size: [width, height], pixel: 1 / ratio });
    // The last point of a tube and the first of the next one are an instance, too, that is nowhere.
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, Math.max(0, table.first[table.size] - 1));
    gl.bindVertexArray(null);
  }

  private upload(table: TubeTable, colours: Uint32Array): void {
    const { gl } = this;
    if (!gl) return;
    if (this.table !== table) {
      this.table = table;
      this.painted = undefined;
      const data = new Float32Array(table.first[table.size] * 4);
      for (let i = 0; i < table.size; i++) {
        for (let k = table.first[i]; k < table.first[i + 1]; k++) {
          data[k * 4] = table.x[k];
          data[k * 4 + 1] = table.y[k];
          data[k * 4 + 2] = table.w[k];
          data[k * 4 + 3] = i;
        }
      }
      gl.bindBuffer(gl.ARRAY_BUFFER, this.points ?? null);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      if (this.shines) gl.deleteTexture(this.shines);
      const shine = new Uint8Array(texels(table.size));
      shine.set(table.shine.subarray(0, table.size));
      this.shines = this.texture(shine, table.size, gl.R8, gl.RED);
    }
    if (this.painted === colours) return;
    this.painted = colours;
    if (this.colours) gl.deleteTexture(this.colours);
    const bytes = new Uint8Array(texels(table.size) * 4);
    for (let i = 0; i < table.size; i++) new DataView(bytes.buffer).setUint32(i * 4, colours[i]);
    this.colours = this.texture(bytes, table.size, gl.RGBA8, gl.RGBA);
  }

  private texture(src: Uint8Array, count: number, internalFormat: number, format: number): WebGLTexture | undefined {
    const { gl } = this;
    if (!gl) return undefined;
    const height = Math.max(1, Math.ceil(count / WIDTH));
    return twgl.createTexture(gl, { src, internalFormat, format, type: gl.UNSIGNED_BYTE, width: WIDTH, height, min: gl.NEAREST, mag: gl.NEAREST, wrap: gl.CLAMP_TO_EDGE, auto: false, unpackAlignment: 1 });
  }

  dispose(): void {
    const { gl } = this;
    if (!gl) return;
    gl.deleteBuffer(this.points ?? null);
    gl.deleteVertexArray(this.vao ?? null);
    gl.deleteTexture(this.colours ?? null);
    gl.deleteTexture(this.shines ?? null);
    if (this.program) gl.deleteProgram(this.program.program);
  }
}

function texels(count: number): number {
  return Math.max(1, Math.ceil(count / WIDTH)) * WIDTH;
}

/** A tube as a line, and bands over it that get narrower and brighter. */
export function paintBands(context: CanvasRenderingContext2D, table: TubeTable, colours: Uint32Array): void {
  context.save();
  context.lineWidth = 1;
  context.lineJoin = 'round';
  for (let i = 0; i < table.size; i++) {
    const [first, end] = [table.first[i], table.first[i + 1]];
    if (end < first + 2) continue;
    let widest = 0;
    for (let k = first; k < end; k++) widest = Math.max(widest, table.w[k]);
    context.globalAlpha = (colours[i] & 0xff) / 255;
    const solid = (off: number) => css((shade(colours[i], table.shine[i], off) | 0xff) >>> 0);
    context.strokeStyle = widest === 0 ? css((colours[i] | 0xff) >>> 0) : solid(0.6);
    context.beginPath();
    for (let k = first; k < end; k++) context.lineTo(table.x[k], table.y[k]);
    context.stroke();
    const bands = widest < 1.5 ? 0 : widest < 4 ? 2 : 5;
    for (let band = 0; band < bands; band++) {
      const part = (1 - band / bands) / 2;
      context.fillStyle = solid(1 - (band + 0.5) / bands);
      context.beginPath();
      for (let k = first; k < end; k++) context.lineTo(table.x[k] - table.w[k] * part, table.y[k]);
      for (let k = end - 1; k >= first; k--) context.lineTo(table.x[k] + table.w[k] * part, table.y[k]);
      context.fill();
    }
  }
  context.restore();
}
