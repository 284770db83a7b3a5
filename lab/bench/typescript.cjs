// Runs the bench from its sources: what is measured is what lies in lib/, whether it has been built or not.
const { readFileSync } = require('node:fs')
const { transformSync } = require('@swc/core')

const options = {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
}

require.extensions['.ts'] = (module, filename) => {
  module._compile(transformSync(readFileSync(filename, 'utf8'), { ...options, filename }).code, filename)
}
