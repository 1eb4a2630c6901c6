// The WebGL2 painter: all sectors in one draw. Nothing is instanced; the vertex shader
// pulls a quad's sector from a texture by gl_VertexID, and the fragment shader computes
// how much of each pixel the sector covers.
import * as twgl from 'twgl.js';
import { floats } from './colour';
import type { DecodedScene } from './decode';
import { DIM, MARK, dimmed, type Painter } from './painter';

const WIDTH = 1024; // of the data textures

const VERTEX = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
uniform highp usampler2D quads;   // sector, part << 16 | parts
uniform highp sampler2D start;    // r0 r1 a0 a1
uniform highp sampler2D target;
uniform highp sampler2D colours;  // fill with alpha
uniform highp sampler2D flags;    // x: kind, y: dimmed
uniform vec2 centre;
uniform vec2 size;
uniform float t;
uniform float ratio;
uniform int shaped;               // 0: sectors, 1: boxes from the top, 2: from the bottom, 3: discs
out vec2 place;
flat out vec4 shape;              // r0 r1 middle half-span
flat out vec4 fill;
flat out vec2 flag;
ivec2 texel(int i) { return ivec2(i % ${WIDTH}, i / ${WIDTH}); }
void main() {
  int quad = gl_VertexID / 6;
  int corner = gl_VertexID % 6;
  uvec2 q = texelFetch(quads, texel(quad), 0).xy;
  int sector = int(q.x);
  float part = float(q.y >> 16u);
  float parts = float(q.y & 0xffffu);
  vec4 g = mix(texelFetch(start, texel(sector), 0), texelFetch(target, texel(sector), 0), t);
  fill = texelFetch(colours, texel(sector), 0);
  flag = texelFetch(flags, texel(sector), 0).xy;
  shape = vec4(g.x, g.y, (g.z + g.w) * 0.5, (g.w - g.z) * 0.5);
  bool far = corner == 1 || corner == 2 || corner == 4;   // the end angle
  bool outer = corner == 2 || corner == 4 || corner == 5;
  float pad = 1.0 / ratio;
  if (shaped == 3) {
    float disc = (g.y - g.x) * 0.5;
    vec2 middle = vec2(sin(shape.z), -cos(shape.z)) * (g.x + g.y) * 0.5;
    shape = vec4(0.0, disc, 0.0, 0.0);
    place = vec2(far ? disc + pad : -disc - pad, outer ? disc + pad : -disc - pad);
    vec2 at = (centre + middle + place) / size * 2.0 - 1.0;
    gl_Position = disc <= 0.0 ? vec4(2.0, 2.0, 0.0, 1.0) : vec4(at.x, -at.y, 0.0, 1.0);
    return;
  }
  if (shaped != 0) {
    place = vec2(far ? g.w + pad : g.z - pad, outer ? g.y + pad : g.x - pad);
    vec2 at = vec2(place.x, shaped == 2 ? centre.y - place.y : place.y) / size * 2.0 - 1.0;
    gl_Position = g.y <= g.x || g.w <= g.z ? vec4(2.0, 2.0, 0.0, 1.0) : vec4(at.x, -at.y, 0.0, 1.0);
    return;
  }
  float share = (part + (far ? 1.0 : 0.0)) / parts;
  float angle = mix(g.z, g.w, share);
  float half_part = (g.w - g.z) * 0.5 / parts;
  float radius = outer ? g.y / max(cos(half_part), 0.2) + pad : max(g.x - pad, 0.0);
  vec2 along = vec2(sin(angle), -cos(angle));
  vec2 p = along * radius;
  vec2 across = vec2(-along.y, along.x);
  if (share == 0.0) p -= across * pad;
  if (share == 1.0) p += across * pad;
  place = p;
  vec2 clip = (centre + p) / size * 2.0 - 1.0;
  gl_Position = g.y <= g.x || g.w <= g.z ? vec4(2.0, 2.0, 0.0, 1.0) : vec4(clip.x, -clip.y, 0.0, 1.0);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec2 place;
flat in vec4 shape;
flat in vec4 fill;
flat in vec2 flag;
uniform vec4 background;
uniform float ratio;
uniform highp int shaped;
out vec4 colour;
const float PI = 3.14159265;
void main() {
  bool boxes = shaped == 1 || shaped == 2;
  float r = boxes ? place.y : length(place);
  float width = (shape.y - shape.x) * ratio;
  float gap = 0.25 * ratio * smoothstep(1.5, 4.0, width);
  float inner = shape.x <= 0.0 && !boxes ? 1e3 : (r - shape.x) * ratio - gap;
  float cover = clamp(inner + 0.5, 0.0, 1.0) + clamp((shape.y - r) * ratio - gap + 0.5, 0.0, 1.0) - 1.0;
  if (boxes) {
    float cut = 0.25 * ratio * smoothstep(1.5, 4.0, shape.w * 2.0 * ratio);
    float d0 = (place.x - shape.z + shape.w) * ratio - cut;
    float d1 = (shape.z + shape.w - place.x) * ratio - cut;
    cover *= max(clamp(d0 + 0.5, 0.0, 1.0) + clamp(d1 + 0.5, 0.0, 1.0) - 1.0, 0.0);
  } else if (shaped == 0 && shape.w < PI - 1e-4) {
    vec2 mid = vec2(sin(shape.z), -cos(shape.z));
    float turn = atan(mid.x * place.y - mid.y * place.x, dot(mid, place));
    float across = r * shape.w * 2.0 * ratio;
    float cut = 0.25 * ratio * smoothstep(1.5, 4.0, across);
    float d0 = r * (shape.w + turn) * ratio - cut;
    float d1 = r * (shape.w - turn) * ratio - cut;
    cover *= max(clamp(d0 + 0.5, 0.0, 1.0) + clamp(d1 + 0.5, 0.0, 1.0) - 1.0, 0.0);
  }
  vec3 c = fill.rgb;
  float quiet = flag.y > 0.25 ? ${DIM.toFixed(2)} : 0.0;
  if (flag.x > 0.25) {
    float wave = abs(fract((gl_FragCoord.x + gl_FragCoord.y) / (5.0 * ratio)) - 0.5) * 2.0;
    quiet = max(quiet, ${MARK.toFixed(2)} + 0.28 * smoothstep(0.35, 0.65, wave));
  }
  c = mix(c, background.rgb, quiet);
  float a = max(cover, 0.0) * fill.a;
  colour = vec4(c * a, a);
}`;

/** How many quads an angle is cut into: so that a quad's corner is not far off its arc. */
function partsOf(span: number): number {
  return Math.min(64, Math.max(1, Math.ceil(Math.abs(span) / (Math.PI / 10))));
}

export class WebglPainter implements Painter {
  readonly name = 'webgl';
  private readonly gl: WebGL2RenderingContext;
  private readonly program: twgl.ProgramInfo;
  private readonly vao: WebGLVertexArrayObject;
  private textures: Record<string, WebGLTexture> = {};
  private vertices = 0;
  private scene: DecodedScene | undefined;
  private size: [number, number] = [1, 1];
  private ratio = 1;

  /** Throws if there is no WebGL2. */
  constructor(canvas: HTMLCanvasElement) {
    const gl = canvas.getContext('webgl2', { antialias: false, alpha: false, depth: false });
    if (!gl) throw new Error('no WebGL2');
    this.gl = gl;
    const program = twgl.createProgramInfo(gl, [VERTEX, FRAGMENT], (message) => console.error(message));
    if (!program?.program) throw new Error('the shaders do not compile');
    this.program = program;
    this.vao = gl.createVertexArray();
  }

  setScene(scene: DecodedScene, start: Float32Array | undefined): void {
    this.scene = scene;
    const { sectors } = scene;
    const target = sectors.geometry;
    const from = start ?? target;
    const parts = new Uint16Array(sectors.size);
    let quads = 0;
    for (let i = 0; i < sectors.size; i++) {
      const span = Math.max(target[i * 4 + 3] - target[i * 4 + 2], from[i * 4 + 3] - from[i * 4 + 2]);
      parts[i] = sectors.shape === 'ring' ? partsOf(span) : 1;
      quads += parts[i];
    }
    const pulls = new Uint32Array(texels(quads) * 2);
    for (let i = 0, q = 0; i < sectors.size; i++) {
      for (let part = 0; part < parts[i]; part++, q++) {
        pulls[q * 2] = i;
        pulls[q * 2 + 1] = (part << 16) | parts[i];
      }
    }
    const colours = new Uint8Array(texels(sectors.size) * 4);
    const flags = new Uint8Array(texels(sectors.size) * 2);
    const dim = dimmed(scene);
    for (let i = 0; i < sectors.size; i++) {
      const fill = sectors.fill[i];
      colours[i * 4] = fill >>> 24;
      colours[i * 4 + 1] = (fill >>> 16) & 0xff;
      colours[i * 4 + 2] = (fill >>> 8) & 0xff;
      colours[i * 4 + 3] = fill & 0xff;
      flags[i * 2] = sectors.kind[i] === 0 ? 0 : 255;
      flags[i * 2 + 1] = dim[i] ? 255 : 0;
    }
    const { gl } = this;
    this.freeTextures();
    this.textures = {
      quads: this.texture(pulls, quads, gl.RG32UI, gl.RG_INTEGER, gl.UNSIGNED_INT),
      target: this.texture(padded(target, sectors.size), sectors.size, gl.RGBA32F, gl.RGBA, gl.FLOAT),
      start: this.texture(padded(from, sectors.size), sectors.size, gl.RGBA32F, gl.RGBA, gl.FLOAT),
      colours: this.texture(colours, sectors.size, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE),
      flags: this.texture(flags, sectors.size, gl.RG8, gl.RG, gl.UNSIGNED_BYTE),
    };
    this.vertices = quads * 6;
  }

  private texture(src: ArrayBufferView, count: number, internalFormat: number, format: number, type: number): WebGLTexture {
    const { gl } = this;
    return twgl.createTexture(gl, {
      src, internalFormat, format, type,
      width: WIDTH,
      height: Math.max(1, Math.ceil(count / WIDTH)),
      min: gl.NEAREST,
      mag: gl.NEAREST,
      wrap: gl.CLAMP_TO_EDGE,
      auto: false,
      unpackAlignment: 1,
    });
  }

  resize(width: number, height: number, ratio: number): void {
    const { canvas } = this.gl;
    const w = Math.max(1, Math.round(width * ratio));
    const h = Math.max(1, Math.round(height * ratio));
    if (canvas.width !== w) canvas.width = w;
    if (canvas.height !== h) canvas.height = h;
    this.size = [width, height];
    this.ratio = ratio;
  }

  draw(t: number): void {
    const { gl, scene } = this;
    if (!scene) return;
    const [r, g, b] = floats(scene.source.background);
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(r, g, b, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (this.vertices === 0) return;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(this.program.program);
    gl.bindVertexArray(this.vao);
    twgl.setUniforms(this.program, {
      ...this.textures,
      centre: [scene.sectors.cx, scene.sectors.cy],
      shaped: { ring: 0, down: 1, up: 2, discs: 3 }[scene.sectors.shape],
      size: this.size,
      ratio: this.ratio,
      background: [r, g, b, 1],
      t,
    });
    gl.drawArrays(gl.TRIANGLES, 0, this.vertices);
  }

  private freeTextures(): void {
    for (const texture of Object.values(this.textures)) this.gl.deleteTexture(texture);
    this.textures = {};
  }

  dispose(): void {
    this.freeTextures();
    this.gl.deleteProgram(this.program.program);
    this.gl.deleteVertexArray(this.vao);
  }
}

function texels(count: number): number {
  return Math.max(1, Math.ceil(count / WIDTH)) * WIDTH;
}

function padded(geometry: Float32Array, size: number): Float32Array {
  const result = new Float32Array(texels(size) * 4);
  result.set(geometry.subarray(0, size * 4));
  return result;
}
