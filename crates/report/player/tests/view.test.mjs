// Tests of `supple view` with results, in a real browser.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { closeBrowser, openBrowser, openPage, pixels, ready, repository, run, scratch, screenshot, serve, until } from "./harness.mjs";

const first = join(scratch, "stairs"), second = join(scratch, "stairs-sdirk2");

before(async () => {
  const quick = ["--set", "time.until=0.5", "--quiet"];
  run("run", "scenes/stairs.toml", "-o", first, "--set", "time.method='backward-euler'", ...quick);
  run("run", "scenes/stairs.toml", "-o", second, "--set", "time.method='sdirk2'", ...quick);
  await openBrowser();
});
after(closeBrowser);

const state = (page) => page.evaluate(() => {
  const { player } = window.supple;
  return { t: player.t, playing: player.playing, field: player.field, range: player.range, prepareMs: player.prepareMs, panes: player.stage.panes.length };
});

/** Waits until the frame of the current time and field is on the screen. */
const shown = (page) => until(page, () => {
  const { player } = window.supple, index = (r) => r.times.findLastIndex((t) => t <= player.t + 1e-9);
  return player.shown === [player.field, ...player.range, ...player.recordings.map(index)].join(" ");
});

const seek = async (page, t) => {
  await page.evaluate((t) => window.supple.player.seek(t), t);
  await shown(page);
};

const colourBy = async (page, field) => {
  await page.getByLabel("Colour by", { exact: true }).selectOption(field);
  await until(page, (field) => window.supple.player.field === field, field);
  await shown(page);
};

test("a result is drawn, played, stepped and scrubbed without errors", async () => {
  const server = await serve(first);
  const { page, errors } = await openPage(server.address);
  await ready(page);
  const start = await pixels(page);
  assert.ok(start.opaque > 0.02 && start.colours > 8, JSON.stringify(start));
  await page.keyboard.press("ArrowRight");
  const stepped = await state(page);
  assert.ok(stepped.t > 0 && stepped.t < 0.1, `${stepped.t}`);
  await page.keyboard.press(" ");
  await until(page, (t) => window.supple.player.t > t + 0.1, stepped.t);
  assert.equal((await state(page)).playing, true);
  await page.keyboard.press(" ");
  assert.equal((await state(page)).playing, false);
  const slider = page.getByLabel("Time", { exact: true }), box = await slider.boundingBox();
  await page.mouse.click(box.x + 0.9 * box.width, box.y + box.height / 2);
  const late = await state(page);
  assert.ok(late.t > 0.4, `${late.t}`);
  await shown(page);
  const end = await pixels(page);
  assert.notEqual(end.sum, start.sum);
  await screenshot(page, "view");
  assert.deepEqual(errors, []);
  await server.stop();
});

test("colours, wireframe, keys and dark pages", async () => {
  const server = await serve(first);
  const { page, errors } = await openPage(server.address);
  await ready(page);
  await seek(page, 0.4);
  const plain = await pixels(page), options = page.getByLabel("Colour by", { exact: true }).locator("option");
  assert.deepEqual(await options.allTextContents(),
    ["colour by body", "displacement", "speed", "von Mises stress", "energy density", "contact force", "friction force"]);
  const fields = await options.evaluateAll((list) => list.map((o) => o.value));
  assert.deepEqual(fields, ["", "displacement", "speed", "stress", "energy", "contact", "friction"]);
  const sums = new Set([plain.sum]);
  for (const field of fields.slice(1)) {
    await colourBy(page, field);
    const { range } = await state(page), before = sums.size;
    assert.ok(range[0] < range[1], `${field}: ${range}`);
    if (!["contact", "friction"].includes(field)) assert.equal(sums.add((await pixels(page)).sum).size, before + 1, field);
  }
  await colourBy(page, "stress");
  await screenshot(page, "view-stress");
  // A cell with a great value does not darken the others: the range leaves it out until the full range is chosen.
  const [, robust] = (await state(page)).range;
  await page.getByLabel("Range of the colours").selectOption("full");
  await until(page, (high) => window.supple.player.range[1] > high, robust);
  const coloured = await pixels(page);
  await page.keyboard.press("w");
  assert.notEqual((await pixels(page)).sum, coloured.sum);
  await page.keyboard.press("d");
  await until(page, () => document.documentElement.dataset.theme === "dark");
  await screenshot(page, "view-dark");
  // Everything is reached by keys, and what has the focus is seen.
  await page.locator(".stage canvas").focus();
  const names = [];
  for (let k = 0; k < 12; k++) {
    await page.keyboard.press("Tab");
    const [name, outline] = await page.evaluate(() => [document.activeElement.getAttribute("aria-label"), getComputedStyle(document.activeElement).outlineStyle]);
    assert.notEqual(outline, "none", name);
    names.push(name);
  }
  for (const name of ["Time", "Play or pause (space)", "Speed", "Colour by", "Save a clip (V)"]) assert.ok(names.includes(name), `${name} is not among ${names}`);
  await page.keyboard.press("?");
  assert.ok(await page.getByRole("dialog", { name: "Keys" }).isVisible());
  await screenshot(page, "view-keys");
  await page.keyboard.press("Escape");
  assert.ok(!(await page.getByRole("dialog", { name: "Keys" }).isVisible()));
  assert.deepEqual(errors, []);
  await server.stop("SIGTERM");
});

test("broken bonds are coloured by their damage", async () => {
  const out = join(scratch, "notch"), scene = join(scratch, "notch.toml");
  const fine = readFileSync(join(repository, "scenes/notch.toml"), "utf8");
  writeFileSync(scene, fine.replace("[64, 26, 1]", "[32, 13, 1]").replace("0.0047", "0.0094").replace("2e-7", "4e-7").replace("40e-6", "32e-6"));
  run("run", scene, "-o", out, "--quiet");
  const server = await serve(out), { page, errors } = await openPage(server.address);
  await ready(page);
  await seek(page, 0);
  const before = await pixels(page);
  await colourBy(page, "damage");
  await page.getByLabel("Range of the colours").selectOption("full");
  await seek(page, 32e-6);
  const { range } = await state(page);
  assert.ok(range[0] === 0 && range[1] > 0.2, `the damage is from ${range[0]} to ${range[1]}`);
  const coloured = await pixels(page);
  assert.ok(coloured.colours > before.colours, JSON.stringify([before, coloured]));
  await screenshot(page, "view-damage");
  assert.deepEqual(errors, []);
  await server.stop();
});

test("two results have one clock and one camera", async () => {
  const server = await serve(first, second);
  const { page, errors } = await openPage(server.address);
  await ready(page);
  await seek(page, 0.45);
  assert.equal((await state(page)).panes, 2);
  const labels = await page.locator(".label").allTextContents();
  assert.ok(labels[0].includes("backward-euler") && labels[1].includes("sdirk2"), `${labels}`);
  const before = await pixels(page), stage = await page.locator(".stage").boundingBox();
  await page.mouse.move(stage.x + 0.3 * stage.width, stage.y + 0.5 * stage.height);
  await page.mouse.down();
  await page.mouse.move(stage.x + 0.4 * stage.width, stage.y + 0.55 * stage.height, { steps: 5 });
  await page.mouse.up();
  assert.notEqual((await pixels(page)).sum, before.sum);
  await colourBy(page, "distance");
  assert.ok((await state(page)).range[1] > 0);
  await screenshot(page, "view-two");
  assert.deepEqual(errors, []);
  await server.stop();
});

test("a telephone plays back", async () => {
  const server = await serve(first);
  const { page, errors } = await openPage(server.address, { width: 390, height: 844, hasTouch: true, isMobile: true });
  await ready(page);
  await page.getByRole("button", { name: /Play or pause/ }).tap();
  await until(page, () => window.supple.player.t > 0.2);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide} pixels wide`);
  await screenshot(page, "view-phone");
  assert.deepEqual(errors, []);
  await server.stop();
});

test("a frame of 20 000 vertices is small and quickly prepared", async () => {
  const cloth = join(scratch, "cloth.toml"), out = join(scratch, "cloth");
  writeFileSync(cloth, `[time]
method = "backward-euler"
step = 0.02
until = 0.2
[[body]]
mesh = { sheet = { size = [1, 1], cells = [140, 140] } }
springs = { stiffness = 200, mass = 0.3 }
[[body.fix]]
where = { near = [0, 0, 0] }
[solver]
newton = "local-global"
iterations = 3
`);
  run("run", cloth, "-o", out, "--quiet");
  const server = await serve(out), { page, errors } = await openPage(server.address);
  await ready(page);
  await colourBy(page, "displacement");
  const times = [];
  for (const t of [0.04, 0.08, 0.12, 0.16, 0.2, 0.1]) {
    await seek(page, t);
    times.push((await state(page)).prepareMs);
  }
  // Other programs may run beside the test: the fastest of six tells the work.
  assert.ok(Math.min(...times) < 10, `${times} ms`);
  const { origin, search } = new URL(server.address);
  const frame = await fetch(`${origin}/api/result/0/frame/2${search}&field=displacement`);
  const bytes = (await frame.arrayBuffer()).byteLength;
  assert.ok(bytes > 19_881 * 16 && bytes < 1e6, `${bytes} bytes`);
  console.log(`20 000 vertices: ${Math.min(...times).toFixed(1)} ms, ${(bytes / 1000).toFixed(0)} kB a frame`);
  assert.deepEqual(errors, []);
  await server.stop();
});

test("a still and a clip are saved", async () => {
  const server = await serve(first), { page, errors } = await openPage(server.address);
  await ready(page);
  const saved = async (key) => {
    const coming = page.waitForEvent("download", { timeout: 60_000 });
    await page.keyboard.press(key);
    const file = await coming;
    return [file.suggestedFilename(), readFileSync(await file.path())];
  };
  const [still, png] = await saved("s");
  assert.match(still, /\.png$/);
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], await page.evaluate(() => {
    const { width, height } = document.querySelector(".stage canvas");
    return [width, height];
  }));
  const [clip, webm] = await saved("v");
  assert.match(clip, /\.webm$/);
  assert.equal(webm.subarray(0, 4).toString("hex"), "1a45dfa3");
  assert.ok(webm.length > 10_000, `${webm.length} bytes`);
  assert.deepEqual(errors, []);
  await server.stop();
});

/** Opens a page of a file and waits for its first player. */
async function openFile(path, options = {}) {
  const opened = await openPage(`file://${path}`, options);
  await opened.page.waitForSelector(".supple-player[data-ready=true]", { timeout: 60_000 });
  return opened;
}

test("the page of a run plays without a server, and its curves follow", async () => {
  const { page, errors } = await openFile(join(first, "report.html"));
  const start = await pixels(page);
  assert.ok(start.opaque > 0.02 && start.colours > 8, JSON.stringify(start));
  await until(page, () => window.supple.player.t > 0.1);
  assert.notEqual((await pixels(page)).sum, start.sum);
  assert.ok((await page.locator(".supple-player .uplot").count()) >= 3);
  await screenshot(page, "report");
  const figure = page.locator("figure.chart").first();
  await figure.scrollIntoViewIfNeeded();
  await page.waitForSelector("figure.chart.drawn .uplot");
  assert.ok(!(await figure.locator("> svg").isVisible()), "the image makes way for the chart");
  // A click moves the clock, and the values of the legend are those of that time.
  await page.evaluate(() => window.supple.player.pause());
  const over = figure.locator(".u-over"), { width, height } = await over.boundingBox();
  await over.click({ position: { x: 0.5 * width, y: 0.5 * height } });
  const { t } = await state(page);
  assert.ok(Math.abs(t - 0.25) < 0.02, `${t}`);
  assert.ok(await figure.locator(".now").isVisible());
  // Dragging zooms, a double click shows everything, a click on a name hides its curve.
  const marks = () => figure.evaluate((f) => [f.querySelectorAll(".u-legend tr.u-off").length]);
  const box = await over.boundingBox();
  await page.mouse.move(box.x + 0.2 * width, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * width, box.y + 40, { steps: 4 });
  await page.mouse.up();
  const zoomed = await figure.locator(".now").evaluate((line) => line.style.transform);
  await over.dblclick({ position: { x: 10, y: 10 } });
  await page.evaluate(() => window.supple.player.seek(0.25));
  assert.notEqual(await figure.locator(".now").evaluate((line) => line.style.transform), zoomed);
  await figure.locator(".u-legend tr").nth(1).click();
  assert.deepEqual(await marks(), [1]);
  const told = page.locator("figure.chart.drawn").nth(1).locator(".u-legend tr").first().locator(".u-value");
  await until(page, (cell) => cell.textContent === "0.25", await told.elementHandle());
  await screenshot(page, "report-curves");
  assert.deepEqual(errors, []);
});

test("a telephone reads the page of a run, also in the dark", async () => {
  const { page, errors } = await openFile(join(first, "report.html"), { width: 390, height: 844, hasTouch: true, isMobile: true, colorScheme: "dark" });
  await until(page, () => window.supple.player.t > 0.05);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await page.locator(".supple-player").scrollIntoViewIfNeeded();
  await screenshot(page, "report-phone");
  assert.deepEqual(errors, []);
});

test("without scripts the page of a run shows its curves as images", async () => {
  const { page } = await openPage(`file://${join(first, "report.html")}`, { javaScriptEnabled: false });
  assert.ok(await page.locator("figure.chart > svg").first().isVisible());
});

test("the page of a comparison plays the runs and begins with its headline", async () => {
  const beam = join(scratch, "beam.toml"), out = join(scratch, "compared");
  writeFileSync(beam, `[time]
step = 0.02
until = 1
[[body]]
mesh = { box = { size = [2, 0.5, 0.5], cells = [8, 2, 2] } }
material = { law = "corotated", young = 2e5, poisson = 0.3, density = 1000 }
[[body.fix]]
where = { x = 0 }
`);
  run("compare", beam, "-o", out, "--methods", "backward-euler,sdirk2,implicit-midpoint", "--steps", "0.02", "--quiet");
  const { page, errors } = await openFile(join(out, "index.html"));
  const { y } = await page.locator(".bars").boundingBox();
  assert.ok(y < 600, "the integrator's share is seen without scrolling");
  assert.match(await page.locator(".headline").textContent(), /backward-euler loses \d+ %/);
  const frames = await page.evaluate(() => window.supple.player.recordings.map((r) => r.times.length));
  assert.deepEqual(frames, [31, 31, 31, 31]);
  assert.equal(await page.evaluate(() => window.supple.player.field), "distance");
  assert.deepEqual(await page.locator(".label").allTextContents(), ["1  reference", "2  backward-euler", "3  sdirk2", "4  implicit-midpoint"]);
  const curves = await page.locator(".supple-player .plot").first().locator(".u-legend .u-label").allTextContents();
  assert.deepEqual(curves, ["t", "1 reference", "2 backward-euler", "3 sdirk2", "4 implicit-midpoint"]);
  await until(page, () => window.supple.player.t > 0.4);
  await screenshot(page, "compare");
  await page.locator("figure.chart").first().scrollIntoViewIfNeeded();
  await page.waitForSelector("figure.chart.drawn .uplot");
  await screenshot(page, "compare-charts");
  assert.deepEqual(errors, []);
});

test("the page of papers plays the scenes of results", async () => {
  const out = join(scratch, "papers");
  run("paper", "run", "004-fig15", "--quick", "--quiet", "-o", out);
  const { page, errors } = await openPage(`file://${join(out, "index.html")}`);
  await page.locator(".supple-player").scrollIntoViewIfNeeded();
  await page.waitForSelector(".supple-player[data-ready=true]", { timeout: 60_000 });
  const start = await pixels(page);
  assert.ok(start.opaque > 0.02 && start.colours > 8, JSON.stringify(start));
  await until(page, () => window.supple.player.t > 0.2);
  assert.notEqual((await pixels(page)).sum, start.sum);
  await page.waitForSelector("section figure.chart.drawn .now:not([hidden])", { state: "attached" });
  await screenshot(page, "papers");
  assert.deepEqual(errors, []);
});

test("pages without the token are refused", async () => {
  const server = await serve(first);
  const { origin } = new URL(server.address);
  assert.equal((await fetch(`${origin}/`)).status, 401);
  assert.equal((await fetch(`${origin}/?token=00000000000000000000000000000000`)).status, 401);
  await server.stop();
});
