import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

// biome.json checks the layers content, lib and ui; it cannot express "any other feature".

const APP = fileURLToPath(new URL(".", import.meta.url));
const SPECIFIER = /(?:from|import)\s*\(?\s*"([#.][^"]+)"/g;

type Import = { file: string; target: string };

/** Lists the imports of the modules in a folder, as paths relative to `app`. */
function importsIn(folder: string): Import[] {
  const files = readdirSync(join(APP, folder), { recursive: true, encoding: "utf8" });
  return files
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((name) => {
      const file = join(folder, name);
      const specifiers = readFileSync(join(APP, file), "utf8").matchAll(SPECIFIER);
      return Array.from(specifiers, ([, specifier = ""]) => ({
        file,
        target: specifier.startsWith("#") ? specifier.slice(1) : normalize(join(dirname(file), specifier)),
      }));
    });
}

const featureOf = (path: string) => /^features\/[^/]+/.exec(path)?.[0];
const describeImport = ({ file, target }: Import) => `${file} imports ${target}`;

test("a feature imports no other feature", () => {
  const imports = importsIn("features");
  expect(imports.length).toBeGreaterThan(100);
  const foreign = imports.filter(({ file, target }) => {
    const feature = featureOf(target);
    return feature !== undefined && feature !== featureOf(file);
  });
  expect(foreign.map(describeImport)).toEqual([]);
});

test("no layer below the routes imports a route", () => {
  const imports = ["features", "ui", "lib", "content"].flatMap(importsIn);
  const upward = imports.filter(({ target }) => /^(routes\/|routes\.ts|root\.tsx|entry\.)/.test(target));
  expect(upward.map(describeImport)).toEqual([]);
});
