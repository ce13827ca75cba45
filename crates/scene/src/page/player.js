// Plays the film: triangles from far to near, in a plain canvas. Drag turns, wheel zooms, double click goes back.
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
  const order = Array.from({ length: triangles.length / 3 }, (_, i) => i), depth = new Float32Array(order.length);
  const far = 4 * radius, dpr = Math.min(window.devicePixelRatio || 1, 2);
  canvas.width = 960 * dpr; canvas.height = 540 * dpr;

  function project(frame, scale, cx, cy, eye) {
    const [ct, st, cl, sl] = [Math.cos(view.turn), Math.sin(view.turn), Math.cos(view.tilt), Math.sin(view.tilt)];
    for (let i = 0, j = 3 * n * frame; i < n; i++, j += 3) {
      const p = film.low[0] + span[0] * frames[j] - middle[0], q = film.low[1] + span[1] * frames[j + 1] - middle[1];
      const r = film.low[2] + span[2] * frames[j + 2] - middle[2];
      const a = ct * p - st * r, b = st * p + ct * r;
      const up = cl * q - sl * b, near = sl * q + cl * b, w = eye ? far / (far - near) : 1;
      x[i] = cx + scale * a * w; y[i] = cy - scale * up * w; z[i] = near;
    }
  }

  function fit() {
    // As large as the whole motion allows from here.
    let width = 1e-9, height = 1e-9;
    for (let f = 0; f < count; f += Math.max(1, count >> 3)) {
      project(f, 1, 0, 0, true);
      for (let i = 0; i < n; i++) { width = Math.max(width, Math.abs(x[i])); height = Math.max(height, Math.abs(y[i])); }
    }
    return 0.92 * Math.min(0.5 * canvas.width / width, 0.5 * canvas.height / height);
  }
  let size = fit();

  function draw() {
    const frame = Math.round(now);
    project(frame, size * view.zoom, 0.5 * canvas.width, 0.5 * canvas.height, true);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    for (let t = 0; t < order.length; t++) depth[t] = z[triangles[3 * t]] + z[triangles[3 * t + 1]] + z[triangles[3 * t + 2]];
    order.sort((a, b) => depth[a] - depth[b]);
    pen.lineWidth = 0.7 * dpr; pen.lineJoin = "round";
    const scale = size * view.zoom;
    for (const t of order) {
      const a = triangles[3 * t], b = triangles[3 * t + 1], c = triangles[3 * t + 2];
      const [ux, uy, uz] = [x[b] - x[a], y[a] - y[b], scale * (z[b] - z[a])], [vx, vy, vz] = [x[c] - x[a], y[a] - y[c], scale * (z[c] - z[a])];
      let nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
      const size = Math.hypot(nx, ny, nz) || 1, side = nz < 0 ? -1 : 1;
      const light = 0.6 + 0.4 * side * (0.3 * nx + 0.8 * ny + 0.52 * nz) / size;
      const ink = colours[bodies[t] % colours.length].map((v) => Math.min(255, (v * light * 1.15) | 0));
      pen.fillStyle = pen.strokeStyle = `rgb(${ink})`;
      pen.beginPath(); pen.moveTo(x[a], y[a]); pen.lineTo(x[b], y[b]); pen.lineTo(x[c], y[c]); pen.closePath(); pen.fill(); pen.stroke();
    }
    pen.strokeStyle = "#5d656f"; pen.lineWidth = 2.5 * dpr;
    for (let i = 0; i < lines.length; i += 2) {
      pen.beginPath(); pen.moveTo(x[lines[i]], y[lines[i]]); pen.lineTo(x[lines[i + 1]], y[lines[i + 1]]); pen.stroke();
    }
    pen.fillStyle = "#0072b2";
    for (const p of particles) { pen.beginPath(); pen.arc(x[p], y[p], 8 * dpr, 0, 7); pen.fill(); }
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
