// The points, drawn by WebGL2: 6 bytes each (two 16-bit positions, a colour out of 256, a flag), and one
// more where their sizes tell something.
// The arrays are kept, so that a lost context can be filled again.

const vertex = `#version 300 es
layout(location = 0) in vec2 position;
layout(location = 1) in uint colour;
layout(location = 2) in uint flag;
layout(location = 3) in float weight;
uniform vec2 scale, shift;
uniform float size;
uniform int pass;
uniform sampler2D palette;
flat out vec4 mark;
flat out float across;
void main() {
  mark = texelFetch(palette, ivec2(int(colour), 0), 0);
  across = size * mix(0.55, 3.3, weight);
  gl_PointSize = across;
  gl_Position = pass >= 0 && int(flag) != pass ? vec4(2.0, 2.0, 2.0, 1.0)
    : vec4(position * scale + shift, 0.0, 1.0);
}`;

// Small points are squares: nobody sees the difference, and a million of them cost half. A mark below 1
// is a ring, where there is room for one.
const fragment = `#version 300 es
precision highp float;
flat in vec4 mark;
flat in float across;
uniform float alpha;
out vec4 colour;
void main() {
  float a = alpha;
  if (across > 2.5) {
    float r = length(gl_PointCoord - 0.5) * across;
    a *= clamp(across * 0.5 - r, 0.0, 1.0);
    if (mark.a < 0.75 && across > 3.5) a *= clamp(r - across * 0.25 + 0.5, 0.0, 1.0);
  }
  colour = vec4(mark.rgb * a, a);
}`;

// The factors that a weight of 0 and of 1 has on a point's diameter, and the weight whose factor is 1.
const least = 0.55;
const most = 3.3;
const usual = (1 - least) / (most - least);

// Weights that rise with the root of the values, so that areas follow these. The largest is the larger, the farther it
// is from the mean: nodes of much the same value all have about the usual size. null: all are 0.
export function weightsOf(n, valueOf) {
  let [sum, largest] = [0, 0];
  for (let i = 0; i < n; i++) {
    sum += valueOf(i);
    largest = Math.max(largest, valueOf(i));
  }
  if (!(largest > 0)) return null;
  const top = Math.min(1.3 * Math.sqrt(largest * n / sum), most);
  return Uint8Array.from({ length: n }, (_, i) => 255 * (top - least) / (most - least) * Math.sqrt(valueOf(i) / largest));
}

function compile(gl, type, source) {
  const shader = gl.createShader(type);
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
    throw new Error(gl.getShaderInfoLog(shader));
  }
  return shader;
}

export class Points {
  constructor(canvas) {
    this.canvas = canvas;
    this.gl = canvas.getContext('webgl2', { antialias: false, alpha: true, premultipliedAlpha: true });
    this.n = 0;
    this.arrays = [null, null, null, null, null, null]; // the last two: positions and colours of the run before
    this.palette = new Uint8Array(1024);
    this.marked = false; // some points are flagged: the others step back
    if (this.gl) this.prepare();
  }

  get usable() { return this.gl !== null && !this.gl.isContextLost(); }

  prepare() {
    const { gl } = this;
    const program = gl.createProgram();
    gl.attachShader(program, compile(gl, gl.VERTEX_SHADER, vertex));
    gl.attachShader(program, compile(gl, gl.FRAGMENT_SHADER, fragment));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error(gl.getProgramInfoLog(program));
    }
    gl.useProgram(program);
    this.uniform = {};
    for (const name of ['scale', 'shift', 'size', 'pass', 'alpha', 'palette']) {
      this.uniform[name] = gl.getUniformLocation(program, name);
    }
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    this.buffers = [0, 1, 2, 3, 4, 5].map((slot) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      if (slot < 3) gl.enableVertexAttribArray(slot);
      if (slot === 3) gl.vertexAttribPointer(3, 1, gl.UNSIGNED_BYTE, true, 0, 0);
      else if (slot === 2) gl.vertexAttribIPointer(2, 1, gl.UNSIGNED_BYTE, 0, 0);
      return buffer;
    });
    this.arrays.forEach((array, slot) => array && this.upload(slot, array));
    this.setWeights(this.arrays[3]);
    this.setPalette(this.palette);
  }

  upload(slot, array) {
    this.arrays[slot] = array;
    if (!this.usable) return;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffers[slot]);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, array, this.gl.STATIC_DRAW);
  }

  // before: of the run before, where it has its own
  setPositions(x, y, before = false) {
    const xy = new Uint16Array(2 * x.length);
    for (let i = 0; i < x.length; i++) {
      xy[2 * i] = x[i];
      xy[2 * i + 1] = y[i];
    }
    this.n = x.length;
    this.upload(before ? 4 : 0, xy);
    if (!this.arrays[1]) this.upload(1, new Uint8Array(this.n));
    if (!this.arrays[2]) this.upload(2, new Uint8Array(this.n));
  }

  // before: in the run before, where they differ
  setColours(index, before = index) {
    this.upload(1, index);
    this.upload(5, before);
  }

  // Positions and colours of one of the runs.
  bind(before) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[before && this.arrays[4] ? 4 : 0]);
    gl.vertexAttribPointer(0, 2, gl.UNSIGNED_SHORT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[before && this.arrays[5] ? 5 : 1]);
    gl.vertexAttribIPointer(1, 1, gl.UNSIGNED_BYTE, 0, 0);
  }

  // flag[i] 1: marked; NULL: no point is
  setFlags(flag) {
    this.marked = flag !== null;
    if (flag) this.upload(2, flag);
  }

  // weight[i] of 0 .. 255: how large a point is; null: all are alike
  setWeights(weight) {
    const { gl } = this;
    this.arrays[3] = weight;
    if (!this.usable) return;
    if (weight) {
      this.upload(3, weight);
      gl.enableVertexAttribArray(3);
    } else {
      gl.disableVertexAttribArray(3);
      gl.vertexAttrib1f(3, usual);
    }
  }

  // The factor on the diameter of a point.
  factor(i) {
    return this.arrays[3] ? least + (most - least) * this.arrays[3][i] / 255 : 1;
  }

  setPalette(rgba) {
    const { gl } = this;
    this.palette = rgba;
    if (this.usable) {
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, rgba);
    }
  }

  // Many points: smaller and fainter, so that density shows; nearer: larger; in a small view: smaller.
  look(camera, ratio) {
    const n = this.n;
    const zoom = camera.zoom();
    const room = Math.min(Math.max(Math.cbrt(camera.width * camera.height / 6e5), 0.6), 1);
    const base = n < 300 ? 9 : n < 2000 ? 6 : n < 20000 ? 4.2 : n < 200000 ? 2.2 : 1.3;
    const size = Math.min(base * Math.min(Math.max(zoom, 0.7), 400) ** 0.28, 16);
    const alpha = n > 200000 ? Math.min(0.35 * zoom ** 0.35, 0.9) : n > 30000 ? 0.75 : 0.88;
    return { size: size * ratio * room, alpha };
  }

  // panes: where they stand in the canvas, the plane per quantised step and the plane's place of 0
  draw(camera, panes, ratio) {
    if (!this.usable) return;
    const { gl, uniform } = this;
    const sx = 2 * camera.scale / camera.width;
    const sy = 2 * camera.scale / camera.height;
    const { size, alpha } = this.look(camera, ratio);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform1f(uniform.size, size);
    for (const { dx, dy, before, unit, from } of panes) {
      this.bind(before);
      gl.viewport(Math.round(dx * ratio), this.canvas.height - Math.round((dy + camera.height) * ratio),
        Math.round(camera.width * ratio), Math.round(camera.height * ratio));
      gl.uniform2f(uniform.scale, unit[0] * sx, unit[1] * sy);
      gl.uniform2f(uniform.shift, (from[0] - camera.x) * sx, (from[1] - camera.y) * sy);
      this.drawPane(alpha);
    }
  }

  drawPane(alpha) {
    const { gl, uniform } = this;
    for (const [pass, factor] of this.marked ? [[0, 0.13], [1, 1.15]] : [[-1, 1]]) {
      gl.uniform1i(uniform.pass, pass);
      gl.uniform1f(uniform.alpha, Math.min(alpha * factor, 1));
      gl.drawArrays(gl.POINTS, 0, this.n);
    }
  }
}
