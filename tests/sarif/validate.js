// node validate.js FILE...: each against the official schema of SARIF 2.1.0, as the package brings it.
const fs = require('fs');
const path = require('path');
const Ajv = require('ajv');

const folder = path.join(__dirname, 'node_modules/@microsoft/jest-sarif/lib/schemas');
const schema = JSON.parse(fs.readFileSync(path.join(folder, 'sarif-2.1.0-rtm.5.json')));
const ajv = new Ajv({allErrors: true, schemaId: 'auto'});
ajv.addMetaSchema(require('ajv/lib/refs/json-schema-draft-04.json'));
const validate = ajv.compile(schema);

let failed = false;
for (const file of process.argv.slice(2)) {
  const log = JSON.parse(fs.readFileSync(file));
  if (validate(log)) continue;
  failed = true;
  for (const error of validate.errors.slice(0, 20)) console.log(`${file}: ${error.dataPath} ${error.message}`);
}
process.exit(failed ? 1 : 0);
