// Bundles the player into dist/: one script, one style sheet, and the licences of what is inside.
// The script is stored compressed; browsers decode it as `Content-Encoding: gzip` or by DecompressionStream.
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist");

async function bundle(entry) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
  });
  return result.outputFiles[0].contents;
}

async function licence(name) {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const text = (await readFile(join(folder, "LICENSE"), "utf8")).trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}

await mkdir(out, { recursive: true });
const script = await bundle("src/main.ts");
await writeFile(join(out, "player.js.gz"), gzipSync(script, { level: 9 }));
await writeFile(join(out, "player.css"), await bundle("src/style.css"));
const licences = await Promise.all(["three", "uplot"].map(licence));
await writeFile(join(out, "LICENSES.txt"), licences.join("\n" + "-".repeat(80) + "\n\n"));
