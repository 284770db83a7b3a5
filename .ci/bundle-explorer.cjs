// Makes of the explorer's page one script and one style, which browsers run as they are.
const { copyFileSync } = require('node:fs')
const { join } = require('node:path')
const { buildSync } = require('esbuild')

const [folder] = process.argv.slice(2)
const source = join(__dirname, '..', 'extensions', 'explorer', 'page')
const target = join(folder, 'extensions', 'explorer', 'page')
buildSync({
  entryPoints: [join(source, 'page.tsx'), join(source, 'page.css')],
  outdir: target,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  tsconfig: join(source, 'tsconfig.json'),
  logLevel: 'warning',
})
copyFileSync(join(source, 'icon.svg'), join(target, 'icon.svg'))
