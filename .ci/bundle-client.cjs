// Makes of the client one file for browsers and for `import`, which find no folders of CommonJS.
const { writeFileSync } = require('node:fs')
const { join } = require('node:path')
const { buildSync } = require('esbuild')

const [folder] = process.argv.slice(2)
const client = join(folder, 'extensions', 'client')
buildSync({
  entryPoints: [join(__dirname, '..', 'extensions', 'client', 'index.ts')],
  outfile: join(client, 'index.mjs'),
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  logLevel: 'warning',
})
writeFileSync(join(client, 'index.d.mts'), "export * from './index.js'\n")
