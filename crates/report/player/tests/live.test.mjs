// Tests of `supple view SCENE` in a real browser: hands, methods, lock-step, telephones.

import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { closeBrowser, openBrowser, openPage, pixels, ready, scratch, screenshot, serve, until } from "./harness.mjs";

const scene = join(scratch, "jelly.toml");
const text = `title = "Jelly"
[time]
method = "implicit-midpoint"
step = 0.01
until = 5
[[body]]
name = "jelly"
mesh = { box = { size = [0.7, 1, 0.7], cells = [4, 6, 4], element = "tet4" } }
material = { law = "corotated", young = 1e5, poisson = 0.35, density = 1000 }
damping = { stiffness = 0.002 }
[[body.fix]]
where = { y = 0 }
`;

before(async () => {
  writeFileSync(scene, text);
  await openBrowser();
});
after(closeBrowser);

const live = (...more) => serve(scene, "-o", join(scratch, `live-${Math.random()}`), ...more);

/** The state that the server tells, not the page. */
async function state(server) {
  const { origin, search } = new URL(server.address);
  return (await fetch(`${origin}/api/live/state${search}`)).json();
}

async function waitFor(server, holds, what) {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    const now = await state(server);
    if (holds(now)) return now;
    await new Promise((next) => setTimeout(next, 100));
  }
  assert.fail(what);
}

const explained = ["damping", "friction", "contact", "numerical", "residual", "work", "fracture"];
const gap = (s) => Math.abs(explained.reduce((sum, name) => sum + s.ledger[name], 0) - (s.total - s.start));

/** A point of the page that shows the upper part of the body. */
async function upperPart(page) {
  return page.evaluate(() => {
    const { stage } = window.supple.view, box = stage.canvas.getBoundingClientRect(), r = stage.rectangles()[0];
    for (let y = 0.1; y < 0.9; y += 0.02) {
      for (const x of [0.5, 0.45, 0.55, 0.4, 0.6]) {
        const at = [box.left + r.x + x * r.width, box.top + r.y + y * r.height], found = stage.rayAt(...at);
        if (found && stage.panes[found.pane].surface.pick(found.ray)) return [at[0], at[1] + 6];
      }
    }
    return null;
  });
}

/** Closes the hand of the page at the upper part of the body while the clock stands, lets it run, and pulls. */
async function drag(page, server) {
  const { running } = await state(server);
  if (running) await page.keyboard.press(" ");
  const { t } = await waitFor(server, (s) => !s.running, "space pauses");
  await until(page, (t) => window.supple.state.t === t, t);
  const at = await upperPart(page);
  assert.ok(at, "the body is seen");
  const [x, y] = at;
  await page.mouse.move(x, y);
  await page.mouse.down();
  await waitFor(server, (s) => s.held.length === 1, "the hand closes");
  await page.keyboard.press(" ");
  for (let k = 1; k <= 6; k++) await page.mouse.move(x + 18 * k, y - 12 * k);
}

test("a drag moves the body, its work is booked, and the ledger closes", async () => {
  const server = await live(), { page, errors } = await openPage(server.address);
  await ready(page);
  await waitFor(server, (s) => s.t > 0.05, "the scene runs");
  const before = await pixels(page);
  assert.ok(before.opaque > 0.02 && before.colours > 8, JSON.stringify(before));
  await drag(page, server);
  const held = await waitFor(server, (s) => s.held.length === 1 && s.sessions[0].ledger.work > 1, "the hand pulls");
  assert.equal(held.sessions[0].error, null);
  await screenshot(page, "live-drag");
  assert.notEqual((await pixels(page)).sum, before.sum);
  await page.mouse.up();
  await waitFor(server, (s) => s.held.length === 0, "the hand opens");
  await page.keyboard.press(" ");
  const end = await waitFor(server, (s) => !s.running, "space pauses");
  const [s] = end.sessions;
  assert.ok(s.ledger.work > 1, `work ${s.ledger.work} J`);
  assert.ok(gap(s) < 1e-6 * s.ledger.work, `${gap(s)} J are not explained`);
  assert.deepEqual(errors, []);
  await server.stop();
});

test("the same page without the drag has no work", async () => {
  const server = await live(), { page, errors } = await openPage(server.address);
  await ready(page);
  const end = await waitFor(server, (s) => s.t > 0.4, "the scene runs");
  assert.equal(end.sessions[0].ledger.work, 0);
  assert.deepEqual(errors, []);
  await server.stop("SIGTERM");
});

test("two sessions in lock-step, methods that keep the state, keys, dark pages, recordings", async () => {
  const out = join(scratch, "recorded");
  const server = await serve(scene, "-o", out, "--with", "backward-euler", "--with", "implicit-midpoint", "--record");
  const { page, errors } = await openPage(server.address);
  await ready(page);
  await drag(page, server);
  await waitFor(server, (s) => s.sessions.every((x) => x.ledger.work > 1), "the same hand pulls both sessions");
  await page.mouse.up();
  for (let k = 0; k < 10; k++) {
    const now = await state(server);
    assert.equal(now.sessions[0].t, now.sessions[1].t);
  }
  await page.getByLabel("Colour by", { exact: true }).selectOption("distance");
  await waitFor(server, (s) => s.t > 0.6, "the scene runs");
  await screenshot(page, "live-two");
  // The sessions compute the stress as long as the page shows it.
  await page.getByLabel("Colour by", { exact: true }).selectOption("stress");
  await until(page, () => ["stress0", "stress1"].every((name) => Math.max(...(window.supple.view.arrays[name] ?? [])) > 100));
  await until(page, () => document.querySelector(".legend").textContent.includes("von Mises stress, Pa"));
  await screenshot(page, "live-stress");
  await page.getByLabel("Colour by", { exact: true }).selectOption("");
  await until(page, () => !window.supple.view.arrays.stress0);
  await page.locator(".stage canvas").click({ position: { x: 5, y: 5 } });
  await page.keyboard.press(" ");
  const paused = await waitFor(server, (s) => !s.running, "space pauses");
  await until(page, (t) => !window.supple.state.running && window.supple.state.t === t, paused.t);
  const positions = () => page.evaluate(() => [...window.supple.view.arrays.positions0.slice(0, 60)]);
  const before = await positions();
  await page.getByLabel("Method of session 1").selectOption("sdirk2");
  const switched = await waitFor(server, (s) => s.sessions[0].method === "sdirk2", "the method changes");
  assert.equal(switched.t, paused.t);
  await until(page, () => window.supple.state.sessions[0].method === "sdirk2");
  assert.deepEqual(await positions(), before);
  await page.locator(".stage canvas").click({ position: { x: 5, y: 5 } });
  await page.keyboard.press("ArrowRight");
  await waitFor(server, (s) => s.t > paused.t, "one step");
  await page.getByLabel("gravity").fill("0");
  await page.getByLabel("gravity").dispatchEvent("change");
  await waitFor(server, (s) => Math.abs(s.sessions[0].gravity) < 1e-9, "gravity is off");
  await page.locator(".stage canvas").click({ position: { x: 5, y: 5 } });
  // A hand by keys alone.
  await page.keyboard.press("n");
  await page.keyboard.press("e");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press(" ");
  await waitFor(server, (s) => s.held.length === 1, "the key closes the hand");
  await page.keyboard.press("x");
  await waitFor(server, (s) => s.pins.length === 1, "the key pins");
  await page.keyboard.press("d");
  await until(page, () => document.documentElement.dataset.theme === "dark");
  await screenshot(page, "live-dark");
  await page.keyboard.press("?");
  assert.ok(await page.getByRole("dialog", { name: "Keys" }).isVisible());
  await screenshot(page, "live-keys");
  assert.deepEqual(errors, []);
  await server.stop();
  for (const method of ["backward-euler", "implicit-midpoint"]) assert.ok(existsSync(join(out, method, "recorded.toml")), server.log());
});

test("friction that is turned on while a block slides takes its energy", async () => {
  const file = join(scratch, "sliding.toml");
  writeFileSync(file, `title = "Sliding block"
[time]
method = "backward-euler"
step = 0.01
until = 5
[contact]
kind = "penalty"
friction = 0.0
[[obstacle]]
plane = { point = [0, 0, 0], normal = [0, 1, 0] }
[[body]]
name = "block"
mesh = { box = { size = [0.4, 0.2, 0.4], cells = [3, 2, 3] } }
place = { translate = [-1, 0.11, 0] }
velocity = { linear = [1, 0, 0] }
material = { law = "corotated", young = 1e5, poisson = 0.3, density = 1000 }
`);
  const server = await serve(file, "-o", join(scratch, "live-sliding")), { page, errors } = await openPage(server.address);
  await ready(page);
  const sliding = await waitFor(server, (s) => s.t > 0.3, "the block slides");
  assert.equal(sliding.sessions[0].ledger.friction, 0);
  assert.ok(sliding.sessions[0].kinetic > 10, `${sliding.sessions[0].kinetic} J`);
  await page.getByLabel("friction").fill("0.8");
  await page.getByLabel("friction").dispatchEvent("change");
  const slowed = await waitFor(server, (s) => s.sessions[0].kinetic < 0.5, "friction stops the block");
  assert.ok(slowed.sessions[0].ledger.friction < -5, `${slowed.sessions[0].ledger.friction} J`);
  assert.equal(slowed.sessions[0].error, null);
  // The block has slid away from where it was; the camera has gone with it.
  const seen = () => page.evaluate(() => {
    const { stage, arrays } = window.supple.view, p = arrays.positions0, n = p.length / 3, c = stage.controls.target.clone().set(0, 0, 0);
    for (let i = 0; i < p.length; i += 3) c.add({ x: p[i] / n, y: p[i + 1] / n, z: p[i + 2] / n });
    return c.project(stage.camera).toArray();
  });
  assert.ok((await seen()).every((x) => Math.abs(x) < 1), `${await seen()}`);
  await screenshot(page, "live-friction");
  await page.locator(".stage canvas").click({ position: { x: 5, y: 5 } });
  await page.keyboard.press("Backspace");
  await waitFor(server, (s) => s.t < 0.3, "the scene starts again");
  await until(page, () => document.querySelector("input[aria-label=friction]").value === "0");
  assert.deepEqual(errors, []);
  await server.stop();
});

test("a session that fails says why, the other goes on, and another method lets it go on", async () => {
  const file = join(scratch, "hard.toml");
  writeFileSync(file, `title = "Soft cube"
[time]
step = 0.02
until = 1
[[body]]
mesh = { box = { size = [1, 1, 1], cells = [3, 3, 3], element = "tet4" } }
material = { law = "neo-hookean", young = 2e4, poisson = 0.3, density = 1000 }
[[body.fix]]
where = { y = 0 }
`);
  const server = await serve(file, "-o", join(scratch, "live-hard"), "--with", "implicit-midpoint", "--with", "backward-euler"), { page, errors } = await openPage(server.address);
  await ready(page);
  // Under a hard pull the midpoint rule ends steps beyond states of infinite energy; backward Euler does not.
  await page.evaluate(() => {
    const { send, view } = window.supple, p = view.arrays.positions0, heights = p.filter((_, i) => i % 3 === 1), top = heights.lastIndexOf(Math.max(...heights));
    send({ type: "grab", vertex: top, grip: 4 });
    send({ type: "drag", to: [4, 3, 1] });
  });
  const failed = await waitFor(server, (s) => s.sessions[0].failed && s.sessions[1].t > s.sessions[0].t + 0.1, "the other session goes on");
  assert.ok(failed.running && !failed.sessions[1].error, JSON.stringify(failed));
  const error = page.locator(".card .error").first();
  await error.waitFor({ state: "visible" });
  assert.match(await error.textContent(), /^Stopped at .* s: .*infinite energy/);
  assert.match(await page.locator(".label").first().textContent(), /implicit-midpointstopped$/);
  assert.ok(!(await page.locator(".card .error").nth(1).isVisible()));
  await screenshot(page, "live-failed");
  await page.getByLabel("Method of session 1").selectOption("backward-euler");
  await waitFor(server, (s) => !s.sessions[0].failed && s.sessions[0].t === s.sessions[1].t, "it catches up");
  await error.waitFor({ state: "hidden" });
  assert.deepEqual(errors, []);
  await server.stop();
});

test("a scene that is slower than real time says so and is drawn on", async () => {
  const file = join(scratch, "slow.toml");
  writeFileSync(file, text.replace("step = 0.01", "step = 2e-4").replace("[4, 6, 4]", "[9, 12, 9]"));
  const server = await serve(file, "-o", join(scratch, "live-slow")), { page, errors } = await openPage(server.address);
  await ready(page);
  const badge = page.locator(".badge[data-kind=slow]");
  await badge.waitFor();
  await until(page, () => /^[\d.e-]+ × real time$/.test(document.querySelector(".badge").textContent));
  const { rate, frame } = await state(server);
  assert.ok(rate > 0 && rate < 0.9, `${rate}`);
  await until(page, (frame) => window.supple.state.frame > frame + 3, frame);
  await screenshot(page, "live-slow");
  assert.deepEqual(errors, []);
  await server.stop();
});

test("a telephone shows the scene and runs it", async () => {
  const server = await live(), options = { width: 390, height: 844, hasTouch: true, isMobile: true };
  const { page, errors, context } = await openPage(server.address, options);
  await ready(page);
  await page.getByRole("button", { name: /Run or pause/ }).tap();
  await waitFor(server, (s) => !s.running, "the button pauses");
  await page.getByRole("button", { name: /Run or pause/ }).tap();
  await waitFor(server, (s) => s.running, "the button runs");
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await screenshot(page, "live-phone");
  assert.ok((await pixels(page)).opaque > 0.02, "the body is seen");
  // A finger on the body pulls it; beside the body it turns the camera.
  const touch = await context.newCDPSession(page);
  const finger = (type, ...points) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
  const at = await upperPart(page);
  await finger("touchStart", at);
  await waitFor(server, (s) => s.held.length === 1, "the finger holds a vertex");
  for (let k = 1; k <= 5; k++) await finger("touchMove", [at[0] + 8 * k, at[1] - 6 * k]);
  await waitFor(server, (s) => s.sessions[0].ledger.work > 1, "the finger pulls");
  await finger("touchEnd");
  await waitFor(server, (s) => s.held.length === 0, "the finger lets go");
  const { frameBytes } = await page.evaluate(() => window.supple.view);
  assert.ok(frameBytes < 1e6, `${frameBytes} bytes`);
  assert.deepEqual(errors, []);
  await server.stop();
});
