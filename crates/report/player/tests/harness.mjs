// Starts `supple` and a headless Chromium for the tests of the pages.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const repository = resolve(dirname(fileURLToPath(import.meta.url)), "../../../..");
const target = resolve(repository, process.env.CARGO_TARGET_DIR ?? "target");
export const supple = process.env.SUPPLE ?? join(target, "debug/supple");
/** Screenshots are kept here. */
export const shots = join(target, "screenshots");
mkdirSync(shots, { recursive: true });
export const scratch = mkdtempSync(join(tmpdir(), "supple-pages-"));

/** Runs `supple` to its end. */
export function run(...args) {
  const done = spawnSync(supple, args, { encoding: "utf8", cwd: repository });
  assert.equal(done.status, 0, `supple ${args.join(" ")}: ${done.stderr}`);
  return done.stdout;
}

const running = new Set();

/** Ends servers that a failed test left behind; a running one would keep the tests from ending. */
const endServers = () => running.forEach((child) => child.kill("SIGKILL"));
process.on("exit", endServers);

/** Starts `supple view` and returns its address and a function that ends it and checks its exit code. */
export async function serve(...args) {
  const child = spawn(supple, ["view", ...args, "--port", "0", "--no-open"], { cwd: repository });
  let log = "";
  child.stderr.on("data", (text) => (log += text));
  running.add(child);
  const ended = new Promise((done) => child.on("exit", (code) => {
    running.delete(child);
    done(code);
  }));
  const lines = createInterface({ input: child.stdout });
  const address = await Promise.race([
    new Promise((found) => lines.once("line", found)),
    ended.then((code) => { throw new Error(`supple view ended with ${code}: ${log}`); }),
  ]);
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/\?token=[0-9a-f]{32}$/);
  const stop = async (signal = "SIGINT") => {
    child.kill(signal);
    assert.equal(await ended, 0, log);
  };
  return { address, stop, child, log: () => log };
}

let browser, opened;

export async function openBrowser() {
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  assert.ok(executablePath, "Chromium is needed: apt-get install chromium");
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-quic"];
  const drawing = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
  browser = await chromium.launch({ executablePath, headless: true, args: ["--no-sandbox", ...quiet, ...drawing] });
  return browser;
}

export async function closeBrowser() {
  endServers();
  await browser?.close();
}

/** Opens an address; any error on its console fails the test. */
export async function openPage(address, options = {}) {
  const { width = 1280, height = 800, ...rest } = options;
  // A page that plays takes all the time of a small machine.
  await opened?.close();
  const context = await browser.newContext({ viewport: { width, height }, ...rest });
  const page = await context.newPage(), errors = [];
  // Other programs may run beside the tests.
  page.setDefaultTimeout(60_000);
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  opened = context;
  await page.goto(address, { waitUntil: "domcontentloaded", timeout: 60_000 });
  return { page, errors, context };
}

/** Waits for a condition in the page. */
export const until = (page, holds, argument) => page.waitForFunction(holds, argument, { timeout: 60_000, polling: 50 });

/** Saves a screenshot. */
export const screenshot = (page, name, options = {}) => page.screenshot({ path: join(shots, `${name}.png`), timeout: 60_000, ...options });

/** Waits until the page has drawn its first frame. */
export const ready = (page) => page.waitForSelector("#app[data-ready=true]", { timeout: 60_000 });

/** Returns the share of pixels of the stage that differ from the empty stage, and a checksum of all. */
export const pixels = (page) => page.evaluate(async () => {
  const canvas = document.querySelector(".stage canvas"), copy = document.createElement("canvas");
  await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const pen = copy.getContext("2d");
  pen.drawImage(canvas, 0, 0);
  const { data } = pen.getImageData(0, 0, copy.width, copy.height);
  let opaque = 0, sum = 0;
  const colours = new Set();
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] > 200) {
      opaque++;
      colours.add((data[i] >> 4) * 256 + (data[i + 1] >> 4) * 16 + (data[i + 2] >> 4));
    }
    sum = (sum * 31 + data[i] + 7 * data[i + 1] + 11 * data[i + 2]) % 2147483647;
  }
  return { opaque: opaque / (data.length / 4), colours: colours.size, sum };
});
