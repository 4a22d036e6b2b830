// node build.mjs [NODE_MODULES [OUTPUT]]: bundles the page into a folder.
import {cp, mkdir, rm} from 'node:fs/promises';
import {createRequire} from 'node:module';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const modules = path.resolve(process.argv[2] ?? path.join(here, 'node_modules'));
const output = path.resolve(process.argv[3] ?? path.join(here, 'dist'));
const esbuild = createRequire(path.join(modules, 'x.js'))('esbuild');

await rm(output, {recursive: true, force: true});
await mkdir(output, {recursive: true});
await esbuild.build({
  entryPoints: {app: path.join(here, 'src/main.tsx'), layout: path.join(here, 'src/layout_worker.ts')},
  outdir: output,
  nodePaths: [modules],
  tsconfigRaw: {compilerOptions: {jsx: 'react-jsx', jsxImportSource: 'preact', target: 'ES2022'}},
  alias: {react: 'preact/compat', 'react-dom': 'preact/compat'},
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  legalComments: 'none',
  logLevel: 'warning',
});
for (const file of ['index.html', 'style.css', 'icon.svg'])
  await cp(path.join(here, 'src', file), path.join(output, file));
