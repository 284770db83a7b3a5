// Makes of the client one file for browsers and for `import`, which find no folders of CommonJS.
const { writeFileSync } = require('node:fs')
const { join } = require('node:path')
const { buildSync } = require('esbuild')

const [folder] = process.argv.slice(2)
buildSync({
  entryPoints: [join(__dirname, '..', 'lib', 'client.ts')],
  outfile: join(folder, 'client.mjs'),
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  logLevel: 'warning',
})
writeFileSync(join(folder, 'client.d.mts'), "export * from './lib/client.js'\n")
