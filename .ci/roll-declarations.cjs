// Puts the declarations of a build into one file for each entry point, and what entry points share into a few more: editors and
// compilers read 20 files in place of 230.
const { readdirSync, rmSync } = require('node:fs')
const { join } = require('node:path')
const { rollup } = require('rollup')
const { dts } = require('rollup-plugin-dts')

const [folder] = process.argv.slice(2)
const extensions = readdirSync(join(folder, 'extensions')).map((name) => `extensions/${name}/index`)
const entries = ['lib/index', ...extensions]

/** Types that an entry point uses and does not export were no less private in files of their own. */
const isOfPrivateTypes = ({ message }) => message.includes('private shared type exports')

async function roll() {
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((name) => [name, join(folder, `${name}.d.ts`)])),
    external: (name) => !/^[./]/.test(name),
    plugins: [dts()],
    onwarn: (warning, warn) => {
      if (!isOfPrivateTypes(warning)) warn(warning)
    },
  })
  for (const name of readdirSync(folder, { recursive: true }))
    if (name.endsWith('.d.ts')) rmSync(join(folder, name))
  await bundle.write({ dir: folder, entryFileNames: '[name].d.ts', chunkFileNames: 'types/[name].ts' })
  await bundle.close()
}

void roll()
