// Plays the film: triangles into a depth buffer, in a plain canvas. Drag turns, wheel zooms, double click goes back.
(() => {
  const film = JSON.parse(document.getElementById("film").textContent);
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const words = (text) => new Uint32Array(bytes(text).buffer);
  const triangles = words(film.triangles), lines = words(film.lines), particles = words(film.particles);
  const bodies = bytes(film.bodies), frames = new Uint16Array(bytes(film.frames).buffer);
  const n = film.vertices, count = film.times.length;
  const canvas = document.getElementById("canvas"), pen = canvas.getContext("2d");
  const button = document.getElementById("play"), slider = document.getElementById("slider"), clock = document.getElementById("clock");
  const colours = [[86, 150, 205], [224, 132, 72], [70, 170, 132], [205, 140, 175], [225, 175, 80], [150, 160, 170]];
  const middle = [0, 1, 2].map((k) => 0.5 * (film.low[k] + film.high[k]));
  const span = [0, 1, 2].map((k) => (film.high[k] - film.low[k]) / 65535);
  const radius = 0.5 * Math.hypot(...[0, 1, 2].map((k) => film.high[k] - film.low[k])) || 1;
  const home = () => ({ turn: 0.6, tilt: 0.35, zoom: 1 });
  let view = home(), now = 0, playing = count > 1, last = 0;
  const x = new Float32Array(n), y = new Float32Array(n), z = new Float32Array(n);
  const far = 4 * radius, fine = 1.5;
  // Drawn larger than shown: the browser's scaling softens the edges.
  const wide = canvas.width = 960 * fine, high = canvas.height = 540 * fine;
  const depth = new Float32Array(wide * high), image = pen.createImageData(wide, high), pixels = new Uint32Array(image.data.buffer);

  function project(frame, scale, cx, cy) {
    const [ct, st, cl, sl] = [Math.cos(view.turn), Math.sin(view.turn), Math.cos(view.tilt), Math.sin(view.tilt)];
    for (let i = 0, j = 3 * n * frame; i < n; i++, j += 3) {
      const p = film.low[0] + span[0] * frames[j] - middle[0], q = film.low[1] + span[1] * frames[j + 1] - middle[1];
      const r = film.low[2] + span[2] * frames[j + 2] - middle[2];
      const a = ct * p - st * r, b = st * p + ct * r;
      const up = cl * q - sl * b, near = sl * q + cl * b, w = far / (far - near);
      x[i] = cx + scale * a * w; y[i] = cy - scale * up * w; z[i] = w;
    }
  }

  function fit() {
    // As large as the whole motion allows from here.
    let width = 1e-9, height = 1e-9;
    for (let f = 0; f < count; f += Math.max(1, count >> 3)) {
      project(f, 1, 0, 0);
      for (let i = 0; i < n; i++) { width = Math.max(width, Math.abs(x[i])); height = Math.max(height, Math.abs(y[i])); }
    }
    return 0.92 * Math.min(0.5 * wide / width, 0.5 * high / height);
  }
  let size = fit();

  // 1/depth is linear on the screen: z holds it, the larger the nearer.
  function fill(a, b, c, ink) {
    const area = (x[b] - x[a]) * (y[c] - y[a]) - (x[c] - x[a]) * (y[b] - y[a]);
    if (!area) return;
    const left = Math.max(0, Math.floor(Math.min(x[a], x[b], x[c]))), right = Math.min(wide - 1, Math.ceil(Math.max(x[a], x[b], x[c])));
    const top = Math.max(0, Math.floor(Math.min(y[a], y[b], y[c]))), bottom = Math.min(high - 1, Math.ceil(Math.max(y[a], y[b], y[c])));
    const bx = (y[c] - y[a]) / area, by = (x[a] - x[c]) / area, cx = (y[a] - y[b]) / area, cy = (x[b] - x[a]) / area;
    for (let j = top; j <= bottom; j++) {
      let i = j * wide + left, p = left + 0.5 - x[a], q = j + 0.5 - y[a];
      let s = bx * p + by * q, t = cx * p + cy * q;
      for (let k = left; k <= right; k++, i++, s += bx, t += cx) {
        if (s < 0 || t < 0 || s + t > 1) continue;
        const d = z[a] + s * (z[b] - z[a]) + t * (z[c] - z[a]);
        if (d > depth[i]) { depth[i] = d; pixels[i] = ink; }
      }
    }
  }

  function draw() {
    const frame = Math.round(now), scale = size * view.zoom;
    project(frame, scale, 0.5 * wide, 0.5 * high);
    depth.fill(0); pixels.fill(0);
    for (let t = 0; t < triangles.length; t += 3) {
      const a = triangles[t], b = triangles[t + 1], c = triangles[t + 2];
      const lift = scale * far, ux = x[b] - x[a], uy = y[a] - y[b], uz = lift * (1 / z[a] - 1 / z[b]);
      const vx = x[c] - x[a], vy = y[a] - y[c], vz = lift * (1 / z[a] - 1 / z[c]);
      const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
      const light = 0.72 + 0.44 * Math.sign(nz) * (0.2 * nx + 0.6 * ny + 0.77 * nz) / (Math.hypot(nx, ny, nz) || 1);
      const [r, g, l] = bodies[t / 3] === 255 ? [196, 198, 202] : colours[bodies[t / 3] % colours.length];
      fill(a, b, c, 0xff000000 | Math.min(255, l * light) << 16 | Math.min(255, g * light) << 8 | Math.min(255, r * light));
    }
    pen.putImageData(image, 0, 0);
    pen.strokeStyle = "#5d656f"; pen.lineWidth = 2.5 * fine;
    for (let i = 0; i < lines.length; i += 2) {
      pen.beginPath(); pen.moveTo(x[lines[i]], y[lines[i]]); pen.lineTo(x[lines[i + 1]], y[lines[i + 1]]); pen.stroke();
    }
    pen.fillStyle = "#0072b2";
    for (const p of particles) { pen.beginPath(); pen.arc(x[p], y[p], 8 * fine, 0, 7); pen.fill(); }
    slider.value = frame;
    clock.textContent = `t = ${film.times[frame].toFixed(3)} s`;
  }

  function tick(at) {
    if (!playing) return;
    const spacing = (film.times[count - 1] - film.times[0]) / (count - 1);
    now += Math.min(0.25, (at - (last || at)) / 1000) / spacing;
    if (now > count - 1) now = 0;
    last = at; draw(); requestAnimationFrame(tick);
  }
  function play(on) { playing = on && count > 1; button.textContent = playing ? "Pause" : "Play"; last = 0; if (playing) requestAnimationFrame(tick); }

  slider.max = count - 1; button.disabled = count < 2;
  button.onclick = () => play(!playing);
  slider.oninput = () => { play(false); now = +slider.value; draw(); };
  let held = null;
  canvas.onpointerdown = (e) => { held = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); };
  canvas.onpointerup = () => { held = null; };
  canvas.onpointermove = (e) => {
    if (!held) return;
    view.turn -= 0.008 * (e.clientX - held[0]);
    view.tilt = Math.max(-1.5, Math.min(1.5, view.tilt + 0.008 * (e.clientY - held[1])));
    held = [e.clientX, e.clientY]; draw();
  };
  canvas.onwheel = (e) => { e.preventDefault(); view.zoom = Math.max(0.2, Math.min(20, view.zoom * Math.exp(-0.001 * e.deltaY))); draw(); };
  canvas.ondblclick = () => { view = home(); size = fit(); draw(); };
  draw(); play(playing);
})();
