// The page as its users see it: upload, report, graph, comparison, trend, with few reports and with 10,000. Tests run in
// order, on one server that starts empty.
import {AxeBuilder} from '@axe-core/playwright';
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {mkdirSync} from 'node:fs';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {chromium} from 'playwright-core';

const url = process.env.QUANTGATE_URL;
const folder = process.env.QUANTGATE_FOLDER;
const screenshots = process.env.QUANTGATE_SCREENSHOTS;
const data = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../data/onnx');
const model = path.join(data, 'resnet8.qnn_a16_mixed.onnx');
const hostile = `<img src=x onerror=alert(1)>'; DROP TABLE reports;-- "\\`;

let browser, context, page;
const faults = [];

before(async () => {
  browser = await chromium.launch({executablePath: process.env.QUANTGATE_BROWSER, args: ['--no-sandbox']});
  context = await browser.newContext({viewport: {width: 1280, height: 900}});
  page = await context.newPage();
  watch(page);
  if (screenshots) mkdirSync(screenshots, {recursive: true});
});
after(async () => {
  await browser?.close();
});

function watch(one) {
  one.setDefaultTimeout(30_000);
  one.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  one.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  one.on('console', (message) => {
    if (/Content.Security.Policy/.test(message.text())) faults.push(`console: ${message.text()}`);
  });
  one.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url()))
      faults.push(`request: ${request.url()}`);
  });
}

async function shot(name, one = page) {
  if (screenshots) await one.screenshot({path: path.join(screenshots, `${name}.png`)});
}

async function axe(what, one = page) {
  const {violations} = await new AxeBuilder({page: one}).analyze();
  assert.deepEqual(
    violations.map(
      (violation) =>
        `${violation.id}: ${violation.nodes
          .slice(0, 3)
          .map((node) => `${node.html} ${node.failureSummary}`)
          .join(' | ')}`,
    ),
    [],
    what,
  );
}

async function api(method, where, body) {
  const response = await fetch(new URL(where, url), {
    method,
    headers: {'Content-Type': 'application/json'},
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const json = await response.json();
  assert.equal(response.status, 200, JSON.stringify(json));
  return json;
}

async function open(where, heading) {
  await page.goto(new URL(where, url).href);
  await page.getByRole('heading', {level: 1, name: heading}).waitFor();
}

// Everything that was asked for has come.
async function settled() {
  await page.locator('h1').waitFor();
  await page.waitForTimeout(100);
  await page.waitForFunction(() => !/(Loading|Arranging)/.test(document.querySelector('main').textContent));
}

async function upload(file, name, targets) {
  await open('/check', 'Check a model');
  await page.setInputFiles('#file', file);
  await page.getByLabel('name in the report').fill(name);
  for (const target of targets) {
    await page.getByLabel('add a target').fill(target);
    await page.getByLabel('add a target').press('Enter');
  }
  await page.getByRole('button', {name: 'Check', exact: true}).click();
  await page.getByRole('heading', {level: 1, name, exact: true}).waitFor();
  assert.match(page.url(), /\/reports\/[0-9a-f-]{36}$/);
  return page.url().split('/').pop();
}

let first, second;

test('an empty server says what to do', async () => {
  await open('/', 'Fleet');
  await page.getByText('No reports yet').waitFor();
  await axe('empty fleet');
  await shot('empty');
});

test('a model is dropped, read and checked, and its report is shown', async () => {
  await open('/check', 'Check a model');
  await axe('upload');
  await shot('upload');
  first = await upload(model, 'nets/resnet8.onnx', ['qnn_htp/SM8350', 'qnn_htp/SM8650']);
  await page.getByRole('heading', {level: 2, name: /qnn_htp\/SM8350.*rejected/}).waitFor();
  await page.getByRole('heading', {level: 2, name: /qnn_htp\/SM8650.*accepted/}).waitFor();
  await page.getByText('DT105 minimum-arch').first().waitFor();
  await page.locator('summary', {hasText: 'c1'}).first().click();
  await page.locator('del').first().waitFor();
  await axe('report');
  await shot('report');
});

test('a file can be dropped', async () => {
  await open('/check', 'Check a model');
  const transfer = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['x'.repeat(3 << 20)], 'dropped.onnx'));
    return data;
  });
  await page.dispatchEvent('.drop', 'drop', {dataTransfer: transfer});
  await page.getByText('dropped.onnx, 3.0 MiB').waitFor();
  assert.equal(await page.getByLabel('name in the report').inputValue(), 'dropped.onnx');
});

test('what is no model is refused with the reason', async () => {
  await open('/check', 'Check a model');
  await page.setInputFiles('#file', fileURLToPath(import.meta.url));
  await page.getByRole('button', {name: 'Check', exact: true}).click();
  await page.getByRole('alert').getByText(/FI001/).waitFor();
});

test('a model whose weights are in another file is not judged by half', async () => {
  await open('/check', 'Check a model');
  await page.getByText('keeps its weights in files beside it').waitFor();
  await page.setInputFiles('#file', path.join(data, 'bad.ext_missing.tiny.qdq_a16w8.onnx'));
  await page.getByRole('button', {name: 'Check', exact: true}).click();
  await page.getByRole('alert').getByText(/keeps its weights in '[^']+', which is not here/).waitFor();
  const {reports} = await api('GET', '/v1/reports');
  assert.ok(!reports.some((one) => /ext_missing/.test(one.model.path)));
});

test('the graph shows where the findings are', async () => {
  await open(`/reports/${first}`, 'nets/resnet8.onnx');
  await page.getByRole('link', {name: 'Graph', exact: true}).click();
  await page.locator('canvas').waitFor();
  const stem = page.locator('.nodes button', {hasText: 'stem'}).first();
  await stem.click();
  await page.locator('.selected').getByText('minimum-arch').first().waitFor();
  assert.match(page.url(), /node=stem/);
  // The box is drawn: the middle of the canvas is no longer what is behind it.
  const drawn = await page.locator('canvas').evaluate((canvas) => {
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    return pixels.filter((_, index) => index % 4 === 3 && pixels[index] > 0).length;
  });
  assert.ok(drawn > 1000, `${drawn} pixels`);
  await page.locator('canvas').focus();
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction(() => !location.search.includes('node=stem&') && !location.search.endsWith('node=stem'));
  // A letter that is typed is no step to come back to.
  const steps = await page.evaluate(() => history.length);
  await page.getByLabel('find a node').pressSequentially('gemm');
  await page.waitForURL(/find=gemm/);
  assert.equal(await page.evaluate(() => history.length), steps);
  await page.locator('.nodes button', {hasText: 'classifier'}).first().waitFor();
  for (const key of ['+', '-', '0', 'Shift+ArrowLeft']) await page.locator('canvas').press(key);
  await axe('graph');
  await shot('graph');
});

test('findings about constants and bodies are at the nodes that have them, and the rest is listed', async () => {
  const float = {dtype: 'DATA_TYPE_FLOAT32', hasShape: true};
  const scale = (name, value) => ({name, ...float, constant: {reals: [value], storedBytes: '4'}});
  const zero = (name) => ({name, dtype: 'DATA_TYPE_INT8', hasShape: true, constant: {ints: ['0'], storedBytes: '1'}});
  const quantized = (name) => ({name, dtype: 'DATA_TYPE_INT8', hasShape: true, dims: ['4']});
  const body = (name, value) => ({
    name,
    origin: 'ONNX',
    symbols: ['QuantizeLinear', 'DequantizeLinear'],
    values: [scale(`${name}s`, value), zero(`${name}z`), quantized(`${name}q`), {name: `${name}y`, ...float, dims: ['4']},
      {name: 'x', ...float, dims: ['4'], captured: 1}],
    nodes: [
      {name: 'quant', op: 1, inputs: [5, 1, 2], outputs: [3]},
      {name: 'dequant', op: 2, inputs: [3, 1, 2], outputs: [4]},
    ],
    outputs: [4],
  });
  const graph = {
    origin: 'ONNX',
    stage: 'STAGE_CONVERTED',
    formatVersion: '8',
    opsetImports: [{version: '13'}],
    symbols: ['QuantizeLinear', 'DequantizeLinear', 'If', 'else_branch', 'then_branch', 'Add'],
    values: [
      {name: 'x', ...float, dims: ['4']},
      {name: 'c', dtype: 'DATA_TYPE_BOOL', hasShape: true},
      scale('s', 0.1),
      zero('z'),
      quantized('q'),
      {name: 'd', ...float, dims: ['4']},
      {name: 'w', ...float, dims: ['4'], constant: {storedBytes: '3'}}, // fewer bytes than elements
      {name: 'branched', ...float, dims: ['4']},
      {name: 'sum', ...float, dims: ['4']},
      {name: 'y', ...float, dims: ['4']},
      {name: 'unread', ...float, dims: ['4'], constant: {storedBytes: '3'}},
    ],
    nodes: [
      {name: 'quant', op: 1, inputs: [1, 3, 4], outputs: [5]},
      {name: 'dequant', op: 2, inputs: [5, 3, 4], outputs: [6]},
      {name: 'branch', op: 3, inputs: [2], outputs: [8], attributes: [{name: 4, graph: 1}, {name: 5, graph: 2}]},
      {name: 'add', op: 6, inputs: [6, 7], outputs: [9]},
      {name: 'last', op: 6, inputs: [9, 8], outputs: [10]},
    ],
    inputs: [1, 2],
    outputs: [10],
    subgraphs: [body('e', 0.1), body('t', 0)],
  };
  const {report} = await api('POST', '/v1/graphs:validate', {graph, options: {model: {path: 'bodies'}}});
  const findings = report.results[0].findings.map((one) => one.location ?? {});
  assert.ok(findings.some((one) => one.subgraph === 'branch/then_branch' && one.node === 'quant'), JSON.stringify(findings));
  assert.ok(findings.some((one) => !one.node && one.value === 'w'), JSON.stringify(findings));
  const id = report.name.replace('reports/', '');
  const at = async (node) => {
    await open(`/reports/${id}/graph?node=${encodeURIComponent(node)}`, 'Graph of bodies');
    await page.locator('.selected h2').waitFor();
    return page.locator('.selected').textContent();
  };
  assert.match(await at('branch'), /branch\/then_branch, quant/);
  assert.match(await at('add'), /tensor 'w'/);
  assert.match(await at('quant'), /No findings here/);
  await page.getByText(/^\d+ findings? that no node shows$/).click();
  await page.getByText(/tensor 'unread'/).waitFor();
  await axe('graph with bodies');
  await shot('bodies');
  await open(`/reports/${id}`, 'bodies');
  await page.getByText('where').first().waitFor();
  await page.locator('details').evaluateAll((all) => all.forEach((one) => (one.open = true)));
  await page.getByRole('link', {name: /branch\/then_branch, quant/}).first().click();
  await page.locator('.selected h2', {hasText: /^branch$/}).waitFor();
});

test('what shares qparams is marked', async () => {
  const spec = {kind: 'PLAIN', dtype: 'DATA_TYPE_INT8', qscheme: 'PER_TENSOR_AFFINE'};
  const graph = {
    origin: 'PT2E',
    symbols: ['aten.add.Tensor', 'aten.relu.default'],
    specs: [spec, {kind: 'SHARED', sharedWith: {value: 1, consumer: 1}}],
    values: ['x', 'y', 'add', 'relu'].map((name, index) => ({
      name,
      dtype: 'DATA_TYPE_FLOAT32',
      spec: index === 2 ? 2 : 0,
    })),
    nodes: [
      {name: 'add', op: 1, inputs: [1, 2], outputs: [3], inputSpecs: [1, 2], annotated: true},
      {name: 'relu', op: 2, inputs: [3], outputs: [4]},
    ],
    inputs: [1, 2],
    outputs: [4],
  };
  const {report} = await api('POST', '/v1/graphs:validate', {
    graph,
    options: {model: {path: 'shared'}, targets: ['qnn_htp/SM8650']},
  });
  const id = report.name.replace('reports/', '');
  const {groups} = await api('GET', `/v1/reports/${id}/groups`);
  assert.deepEqual(groups, [
    [
      {value: 1, node: 1},
      {value: 2, node: 1},
      {value: 3, node: 0},
    ],
  ]);
  await open(`/reports/${id}/graph?node=add&only=all`, 'Graph of shared');
  await page.getByText('One set of qparams (dashed): x → add, y → add, add').waitFor();
  await page.getByLabel('mark what is in one of 1 sharing group').check();
  await shot('sharing');
});

test('a corrected model is compared with what was before', async () => {
  const fixed = path.join(folder, 'fixed.onnx');
  try {
    execFileSync(process.env.QUANTGATE_EXECUTABLE, [
      'check',
      model,
      '--target',
      'qnn_htp/SM8350',
      '--fix',
      fixed,
      '--quiet',
    ]);
  } catch {
    // Exit code 1: the model as it was is rejected.
  }
  second = await upload(fixed, 'nets/resnet8.onnx', ['qnn_htp/SM8350', 'qnn_htp/SM8650']);
  await open(`/reports?${new URLSearchParams({model: 'nets/resnet8.onnx'})}`, 'Reports');
  const boxes = page.getByRole('checkbox');
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await page.getByRole('button', {name: 'Compare the two chosen'}).click();
  await page.getByText('fixed', {exact: true}).first().waitFor();
  assert.match(page.url(), new RegExp(`base=${first}.*other=${second}`));
  await axe('comparison');
  await shot('compare');
});

test('trends count the findings and what was fixed', async () => {
  await open('/trends', 'Trends');
  const row = page.getByRole('row', {name: /^DT/});
  await row.waitFor();
  const cells = await row.getByRole('cell').allTextContents();
  assert.ok(Number(cells[0]) > 0, cells.join());
  assert.ok(Number(cells[1]) > 0, cells.join());
  await page.getByText('Numbers', {exact: true}).first().click();
  const numbers = page.getByRole('region', {name: 'Numbers of Findings by family'});
  await numbers.getByRole('columnheader', {name: 'DT'}).waitFor();
  assert.ok((await numbers.getByRole('rowheader').count()) > 0);
  await axe('trends');
  await shot('trends');
});

test('the fleet shows the newest verdict and the one before', async () => {
  await open('/', 'Fleet');
  await page.getByRole('link', {name: 'nets/resnet8.onnx'}).waitFor();
  await page.getByText('was rejected').waitFor();
  await axe('fleet');
  await shot('fleet');
});

test('a model leads to its own reports, not to those of another repository', async () => {
  const made = {};
  for (const repository of ['org/one', 'org/two', '']) {
    const {report} = await api('POST', '/v1/graphs:validate', {
      graph: {name: 'g', origin: 'ONNX', stage: 'STAGE_CONVERTED'},
      options: {model: {path: 'shared/name.onnx'}, labels: {repository}},
    });
    made[repository] = report.name;
  }
  for (const [repository, name] of Object.entries(made)) {
    await open(`/?model=${encodeURIComponent('shared/name.onnx')}`, 'Fleet');
    const row = page.getByRole('row').filter({has: page.getByRole('link', {name: 'shared/name.onnx'})});
    await row.first().waitFor();
    assert.equal(await row.count(), 3);
    const own = repository ? row.filter({hasText: repository}) : row.filter({hasNotText: 'org/'});
    await own.getByRole('link', {name: 'shared/name.onnx'}).click();
    await page.getByRole('heading', {level: 1, name: 'Reports'}).waitFor();
    await page.locator('tbody tr').first().waitFor();
    await settled();
    assert.deepEqual(
      await page.locator('tbody a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
      [`/${name}`],
      repository,
    );
  }
});

test('a fleet that comes slowly comes, however many checks end meanwhile', async () => {
  const asked = [];
  const broken = [];
  const isFleet = (request) => new URL(request.url()).pathname === '/v1/fleet';
  const note = (request) => isFleet(request) && asked.push(request.url());
  const noteBroken = (request) => isFleet(request) && broken.push(request.url());
  page.on('request', note);
  page.on('requestfailed', noteBroken);
  await page.route('**/v1/fleet*', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await route.continue().catch(() => undefined); // the test has ended
  });
  await open('/', 'Fleet');
  let shown = false;
  const link = page.getByRole('link', {name: 'nets/resnet8.onnx'}).waitFor();
  void link.then(() => (shown = true));
  for (let i = 0; !shown && i < 100; i++) {
    await api('POST', '/v1/graphs:validate', {
      graph: {name: 'g', origin: 'ONNX', stage: 'STAGE_CONVERTED'},
      options: {model: {path: 'busy.onnx'}},
    });
    await page.waitForTimeout(100);
  }
  await link;
  // What ended meanwhile is asked for once, after that.
  await page.waitForTimeout(3000);
  page.off('request', note);
  page.off('requestfailed', noteBroken);
  await page.unroute('**/v1/fleet*');
  assert.deepEqual(broken, []);
  assert.ok(asked.length >= 2 && asked.length <= 3, `${asked.length} requests`);
});

test('a server that keeps no reports shows the one that was made', async () => {
  const server = spawn(process.env.QUANTGATE_EXECUTABLE, [
    'serve', '--listen', '127.0.0.1:0', '--http', '127.0.0.1:0', '--store', 'none',
  ]);
  try {
    const address = await new Promise((resolve, reject) => {
      let said = '';
      server.stdout.on('data', (text) => {
        const found = /^dashboard on (\S+)$/m.exec((said += text));
        if (found) resolve(found[1]);
      });
      server.on('exit', () => reject(new Error(`the server ended: ${said}`)));
    });
    const other = await context.newPage();
    await other.goto(new URL('/check', address).href);
    await other.setInputFiles('#file', model);
    await other.getByRole('button', {name: 'Check', exact: true}).click();
    const report = other.getByRole('region', {name: 'The report'});
    await report.getByText('This server keeps no reports').waitFor();
    await report.getByRole('heading', {name: /^any/}).waitFor();
    assert.equal(await report.getByRole('link', {name: /graph/i}).count(), 0);
    assert.equal(await other.locator('main a[href*="/reports/"]').count(), 0);
    assert.equal(new URL(other.url()).pathname, '/check');
    await axe('a report that is not kept', other);
    await shot('not_kept', other);
    await other.close();
  } finally {
    server.kill();
  }
});

test('names are text', async () => {
  const graph = {
    name: hostile,
    origin: 'ONNX',
    symbols: [hostile],
    values: [
      {name: hostile, dtype: 'DATA_TYPE_FLOAT32'},
      {name: `${hostile}2`, dtype: 'DATA_TYPE_FLOAT32'},
    ],
    nodes: [{name: hostile, op: 1, inputs: [1], outputs: [2]}],
    inputs: [1],
    outputs: [2],
  };
  const {report} = await api('POST', '/v1/graphs:validate', {
    graph,
    options: {model: {path: hostile}, labels: {repository: hostile, branch: hostile}, targets: ['qnn_htp/SM8350']},
  });
  const id = report.name.replace('reports/', '');
  for (const where of [
    '/',
    '/reports',
    `/reports/${id}`,
    `/reports/${id}/graph?only=all`,
    `/compare?base=${id}&other=${id}`,
    '/trends',
  ]) {
    await page.goto(new URL(where, url).href);
    await settled();
    if (!/trends|compare/.test(where)) await page.getByText('<img src=x').first().waitFor();
    assert.equal(await page.locator('main img').count(), 0, where);
  }
  await open(`/reports?${new URLSearchParams({model: hostile})}`, 'Reports');
  await page.getByRole('link', {name: '<img src=x'}).first().waitFor();
  assert.equal(await page.getByRole('checkbox').count(), 1);
  await open('/reports', 'Reports');
  await page.getByText('nets/resnet8.onnx').first().waitFor();
});

test('filters are in the address', async () => {
  await open('/reports?model=nets%2Fresnet8.onnx&verdict=REJECTED', 'Reports');
  await page.locator('tbody tr').first().waitFor();
  assert.equal(await page.locator('tbody tr').count(), 1);
  await page.getByLabel('verdict').selectOption('ACCEPTED');
  await page.waitForURL(/verdict=ACCEPTED$/);
  await page.goBack();
  await page.waitForURL(/verdict=REJECTED/);
  await page.getByLabel('target').fill('no such target');
  await page.keyboard.press('Tab');
  await page.getByText('No report fits.').waitFor();
});

test('a log is decoded', async () => {
  await open('/decode', 'Decode a log');
  await page.getByLabel('Log or error code').fill('error 3110\nnothing that is known failed');
  await page.getByRole('button', {name: 'Decode', exact: true}).click();
  await page.getByText('means').first().waitFor();
  await page.getByRole('heading', {name: 'Unknown'}).waitFor();
  await axe('decoder');
  await shot('decode');
});

// A chain with a side branch here and there, some of it quantized in a way that no target takes.
function bigGraph(nodes) {
  const values = [{name: 'input', dtype: 'DATA_TYPE_FLOAT32', hasShape: true, dims: ['1', '8']}];
  const list = [];
  for (let n = 0; n < nodes; n++) {
    const inputs = [values.length];
    if (n % 3 === 2 && n > 10) inputs.push(values.length - 5);
    values.push({
      name: `v${n}`,
      dtype: 'DATA_TYPE_FLOAT32',
      hasShape: true,
      dims: ['1', '8'],
      ...(n % 50 === 0 ? {spec: 1} : {}),
    });
    list.push({name: `node_${n}`, op: inputs.length === 2 ? 1 : 2, inputs, outputs: [values.length]});
  }
  return {
    name: 'big',
    origin: 'ONNX',
    opsetImports: [{version: '17'}],
    symbols: ['Add', 'Relu'],
    specs: [
      {kind: 'FIXED', dtype: 'DATA_TYPE_INT8', qscheme: 'PER_TENSOR_AFFINE', qparams: {scales: [0], zeroPoints: [0]}},
    ],
    values,
    nodes: list,
    inputs: [1],
    outputs: [values.length],
  };
}

let big;

test('a check is seen while it runs', async () => {
  await open('/', 'Fleet');
  await page.waitForTimeout(500); // the stream of events is open
  const targets = ['qnn_htp/SM8350', 'qnn_htp/SM8450', 'qnn_htp/SM8550', 'qnn_htp/SM8650'];
  const answer = api('POST', '/v1/graphs:validate', {
    graph: bigGraph(10_000),
    options: {model: {path: 'big.onnx'}, targets},
  });
  await page.locator('.running').getByText('big.onnx').waitFor();
  await shot('running');
  big = (await answer).report.name.replace('reports/', '');
  await page.locator('.running').getByRole('link', {name: 'report'}).first().waitFor();
  // Said once, not with every tenth of a second that passes.
  assert.equal(await page.locator('.running[aria-live], .running [aria-live]').count(), 0);
  await page.getByRole('status').getByText(/^checking big\.onnx ended, /).waitFor();
  // The fleet follows by itself.
  await page.getByRole('row', {name: /^big\.onnx/}).waitFor();
});

test('a graph of 10,000 nodes moves', async () => {
  await page.goto(new URL(`/reports/${big}/graph?only=all`, url).href);
  await page.locator('canvas').waitFor();
  await page.getByText('10002 nodes, the first 200').waitFor();
  const frames = await page.locator('canvas').evaluate(
    (canvas) =>
      new Promise((resolve) => {
        let count = 0;
        let last = performance.now();
        let longest = 0;
        const next = (now) => {
          longest = Math.max(longest, now - last);
          last = now;
          canvas.dispatchEvent(
            new WheelEvent('wheel', {
              deltaY: count % 20 < 10 ? -40 : 40,
              clientX: 500,
              clientY: 500,
              bubbles: true,
              cancelable: true,
            }),
          );
          if (++count < 60) requestAnimationFrame(next);
          else resolve({count, longest});
        };
        requestAnimationFrame(next);
      }),
  );
  console.log(`longest frame of ${frames.count}: ${Math.round(frames.longest)} ms`);
  await page.getByLabel('find a node').fill('node_9876');
  await page.locator('.nodes button', {hasText: 'node_9876'}).click();
  await page.locator('.selected').getByText('node_9876').waitFor();
  await shot('graph_10000');
});

// Positions by the page's own worker.
async function layout(nodes, edges) {
  return page.evaluate(
    ([count, pairs]) =>
      new Promise((resolve, reject) => {
        const worker = new Worker('/layout.js', {type: 'module'});
        worker.onerror = (error) => reject(new Error(error.message));
        worker.onmessage = ({data}) => {
          worker.terminate();
          resolve({x: [...data.x], y: [...data.y]});
        };
        worker.postMessage({nodes: count, edges: Int32Array.from(pairs)});
      }),
    [nodes, edges],
  );
}

function assertApart({x, y}) {
  const layers = new Map();
  x.forEach((_, n) => layers.get(y[n])?.push(n) ?? layers.set(y[n], [n]));
  for (const layer of layers.values()) {
    const places = layer.map((n) => x[n]).sort((a, b) => a - b);
    places.forEach((place, i) =>
      assert.ok(Number.isFinite(place) && (i === 0 || place - places[i - 1] > 180), `${place}`),
    );
  }
}

test('boxes stand apart and edges lead down', async () => {
  await open('/decode', 'Decode a log');
  let state = 1;
  const random = (below) => (state = (state * 48271) % 2147483647) % below;
  for (const nodes of [1, 2, 50, 3000]) {
    const edges = [];
    for (let n = 1; n < nodes; n++) {
      for (let i = random(3); i >= 0; i--) edges.push(Math.max(0, n - 1 - random(20)), n);
    }
    const result = await layout(nodes, edges);
    assertApart(result);
    for (let e = 0; e < edges.length; e += 2)
      assert.ok(result.y[edges[e]] < result.y[edges[e + 1]], `edge ${edges[e]} ${edges[e + 1]}`);
  }
  // What no model should be: cycles, everything beside each other, one that reads everything.
  assertApart(await layout(4, [0, 1, 1, 2, 2, 0, 3, 3]));
  assertApart(await layout(10_000, []));
  assertApart(await layout(10_000, Array.from({length: 9_999}, (_, n) => [n, 9_999]).flat()));
});

test('10,000 reports', async () => {
  const template = (await api('GET', `/v1/reports/${first}`)).report;
  for (let batch = 0; batch < 20; batch++) {
    const reports = [];
    for (let i = 0; i < 500; i++) {
      const number = batch * 500 + i;
      const id = `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`;
      const results = structuredClone(template.results);
      for (const result of results) {
        result.notChecked = [];
        result.corrections = [];
        delete result.outcome;
        if (number % 3 === 0) {
          result.findings = [];
          result.verdict = 'ACCEPTED';
        }
      }
      reports.push({
        ...template,
        name: `reports/${id}`,
        createTime: new Date(Date.now() - (10_000 - number) * 240_000).toISOString(),
        model: {...template.model, path: `nets/model_${number % 200}.onnx`},
        results,
      });
    }
    const answer = await api('POST', '/v1/reports:import', {reports});
    assert.equal(Number(answer.imported), 500);
  }
  await open('/reports?model=nets%2Fmodel_7.onnx', 'Reports');
  await page.locator('tbody tr').first().waitFor();
  assert.equal(await page.locator('tbody tr').count(), 50);
  await open('/reports', 'Reports');
  await page.locator('tbody tr').first().waitFor();
  await page.getByRole('button', {name: 'older'}).click();
  await page.waitForURL(/page=/);
  await page.getByText('nets/model_').first().waitFor();
  await shot('reports_10000');
  await open('/', 'Fleet');
  await page.getByText(/^20\d models/).waitFor();
  await page.getByRole('button', {name: 'next'}).click();
  await page.getByText('2 of').waitFor();
  await axe('fleet of 200 models');
  await shot('fleet_10000');
  await open('/trends', 'Trends');
  await page.locator('svg.chart').first().waitFor();
  await shot('trends_10000');
  await upload(model, 'nets/model_7.onnx', ['qnn_htp/SM8350']);
  await page.getByRole('link', {name: 'Graph', exact: true}).click();
  await page.locator('canvas').waitFor();
});

test('a fleet beyond a part of it is whole', async () => {
  const targets = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `qnn_htp/${name}@2.51.0`);
  const reports = Array.from({length: 500}, (_, number) => ({
    name: `reports/${String(number).padStart(8, '0')}-1111-4111-8111-000000000000`,
    createTime: '2020-01-01T00:00:00Z',
    model: {path: `model_${String(number).padStart(3, '0')}.onnx`},
    labels: {repository: 'org/many'},
    results: targets.map((target) => ({target, verdict: 'ACCEPTED'})),
  }));
  await api('POST', '/v1/reports:import', {reports});
  await open('/?repository=org%2Fmany', 'Fleet');
  await page.getByText('428 models, 7 targets in this part of the fleet').waitFor();
  const seen = new Set();
  for (let more = true; more; ) {
    for (const row of await page.locator('table.fleet tbody tr').all()) {
      seen.add(await row.getByRole('link').first().textContent());
      assert.equal(await row.getByText('accepted').count(), 7);
    }
    const first = await page.locator('table.fleet tbody th a').first().textContent();
    const next = page.getByRole('button', {name: 'next', exact: true});
    const part = page.getByRole('button', {name: 'next part'});
    const button = (await next.isEnabled()) ? next : part;
    more = (await button.count()) > 0;
    if (more) await button.click();
    if (more) await page.locator('table.fleet tbody th a', {hasText: first}).waitFor({state: 'detached'});
    if (more) await page.locator('table.fleet tbody th a').first().waitFor();
  }
  assert.equal(seen.size, 500);
  await page.getByRole('button', {name: 'first part'}).click();
  await page.locator('table.fleet').getByText('model_000.onnx').waitFor();
  assert.ok((await page.locator('#known-model option').count()) > 400);
});

test('a report says what it can of enums of a newer version and of numbers that are none', async () => {
  const id = '00000000-2222-4222-8222-000000000000';
  const finding = {code: 'DT101', rule: 'dtype', severity: 44, effect: 99, message: 'of a newer version', source: {kind: 77}};
  const correction = (name, before, after) => ({id: name, predictedCost: {sqnrBeforeDb: before, sqnrAfterDb: after}});
  const result = {
    target: 'newer/S1',
    verdict: 55,
    outcome: {kind: 66},
    findings: [finding],
    corrections: [correction('CR1', 'NaN', 'Infinity'), correction('CR2', 12.34, 30)],
  };
  const report = {name: `reports/${id}`, createTime: '2020-01-01T00:00:00Z', model: {path: 'newer.onnx'}, stage: 88};
  await api('POST', '/v1/reports:import', {reports: [{...report, results: [result]}]});
  await page.goto(new URL(`/reports/${id}`, url).href);
  await page.getByText('99 · 1 finding').waitFor();
  await page.getByText('NaN dB → Infinity dB').waitFor();
  await page.getByText('12.3 dB → 30.0 dB').waitFor();
  await page.getByText('of a newer version').waitFor();
});

test('a page that cannot watch says so and looks again', async () => {
  const other = await context.newPage();
  watch(other);
  await other.clock.install();
  await other.route('**/v1/events', (route) => route.fulfill({status: 503, body: ''}));
  await other.goto(new URL('/?model=no+such', url).href);
  await other.getByText('not live: looked at again every minute').waitFor();
  const again = other.waitForRequest((request) => new URL(request.url()).pathname === '/v1/fleet');
  await other.clock.fastForward(61_000);
  await again;
  await other.unroute('**/v1/events');
  await other.clock.fastForward(16_000);
  await other.getByText('not live').waitFor({state: 'detached'});
  await other.close();
});

test('reports of two pages are compared, the older one as the base', async () => {
  await open('/reports?verdict=ACCEPTED', 'Reports');
  const firstLink = page.locator('tbody a').first();
  await firstLink.waitFor();
  const newest = await firstLink.getAttribute('href');
  await page.getByRole('button', {name: 'older'}).click();
  await page.waitForURL(/page=/);
  await page.waitForFunction((href) => {
    const link = document.querySelector('tbody a');
    return link && link.getAttribute('href') !== href;
  }, newest);
  const older = await firstLink.getAttribute('href');
  await page.getByRole('checkbox').first().check();
  await page.getByRole('button', {name: 'newest'}).click();
  await page.locator(`tbody a[href="${newest}"]`).waitFor();
  await page.getByRole('checkbox').first().check();
  await page.getByRole('button', {name: 'Compare the two chosen'}).click();
  await page.waitForURL(/\/compare\?/);
  const asked = new URL(page.url()).searchParams;
  assert.deepEqual([asked.get('base'), asked.get('other')], [older, newest].map((href) => href.split('/').pop()));
  await settled();
});

test('every view fits 400 pixels and the dark', async () => {
  const small = await browser.newContext({viewport: {width: 400, height: 800}, colorScheme: 'dark'});
  page = await small.newPage();
  watch(page);
  for (const [name, where] of [
    ['fleet', '/'],
    ['reports', '/reports'],
    ['report', `/reports/${first}`],
    ['graph', `/reports/${first}/graph`],
    ['compare', `/compare?base=${first}&other=${second}`],
    ['trends', '/trends'],
    ['check', '/check'],
    ['decode', '/decode'],
  ]) {
    await page.goto(new URL(where, url).href);
    await settled();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 400, `${name} is ${width} wide`);
    await axe(`${name} in the dark`);
    await shot(`small_${name}`);
  }
});

test('nothing was fetched from elsewhere, run from a name, or broken', () => {
  assert.deepEqual(faults, []);
});
